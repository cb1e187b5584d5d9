// The kernels keep what docs/numerics.md promises, and the page says what is measured.
//
// A sample takes seconds. RML_UPDATE_DOCS=1 takes a ten times denser one and writes what it measures to the page;
// RML_TEST_FULL=1 tests the bounds over all f32 numbers, minutes for each function.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/kernels/dispatch.h"
#include "tests/engine/kernels/accuracy/page.h"
#include "tests/engine/kernels/accuracy/pow_sample.h"
#include "tests/engine/kernels/accuracy/rows.h"
#include "tests/engine/kernels/accuracy/sweep.h"

namespace rml {
namespace {

constexpr uint32_t kPageStride = 97, kSampleStride = 10 * kPageStride;  // the sample's numbers are among the page's
constexpr uint64_t kAllPowPairs = uint64_t{1} << 30, kPowPagePairs = uint64_t{1} << 24;
constexpr uint64_t kPowSamplePairs = uint64_t{1} << 20;
// Numbers on the page have four digits, the mean three.
constexpr double kPrinted = 1 + 5e-4;

bool Full() { return std::getenv("RML_TEST_FULL") != nullptr; }

// "exp 37 %" on a terminal.
std::function<void(double)> ProgressOf(const std::string& name) {
  return [name, percent = -1](double done) mutable {
    const int now = static_cast<int>(100 * done);
    if (now == percent || isatty(STDERR_FILENO) == 0) return;
    percent = now;
    std::fprintf(stderr, now == 100 ? "\r              \r" : "\r%s %d %%", name.c_str(), now);
  };
}

std::string BoundText(const Function& f) {
  if (f.unit == ErrorUnit::kUlp) return absl::StrFormat("%g ulp", f.bound);
  if (std::isinf(f.bounded_from)) return absl::StrFormat("%g relative", f.bound);
  return absl::StrFormat("%g relative from %g on", f.bound, f.bounded_from);
}

std::string PowerText(float x) {
  const int exponent = std::ilogb(x);
  return std::ldexp(1.0f, exponent) == x && exponent < 0 ? absl::StrFormat("2^%d", exponent) : absl::StrFormat("%g", x);
}

std::string OverText(const Function& f) {
  if (f.work_from == 0 && std::isinf(f.work_to)) return "all x";
  if (std::isinf(f.work_to)) return absl::StrFormat("abs(x) from %s", PowerText(f.work_from));
  return absl::StrFormat("abs(x) from %s to %s", PowerText(f.work_from), PowerText(f.work_to));
}

std::string LimitsText(const Function& f) {
  return absl::StrJoin(f.limits, "; ", [](std::string* out, const Limit& limit) {
    absl::StrAppend(out, absl::StrFormat("%g from %.9g", limit.value, limit.x));
  });
}

std::string ShapeText(const Function& f) {
  std::vector<std::string> words;
  if (f.monotone != Monotone::kNone) words.push_back(f.monotone == Monotone::kRising ? "rising" : "falling");
  if (f.symmetry != Symmetry::kNone) words.push_back(f.symmetry == Symmetry::kOdd ? "odd" : "even");
  return absl::StrJoin(words, ", ");
}

AccuracyLine LineOf(const Function& f, const Accuracy& accuracy) {
  return {.name = f.name,
          .bound = BoundText(f),
          .worst = accuracy.worst,
          .worst_at = {accuracy.worst_x},
          .mean = accuracy.MeanError(),
          .share_correct = accuracy.ShareCorrect(),
          .over = OverText(f),
          .limits = LimitsText(f),
          .shape = ShapeText(f)};
}

void ExpectLineOnPage(const AccuracyLine& line) {
  NumericsPage page;
  if (UpdatesDocs()) {
    page.SetLine(line);
    page.Write();
  }
  const std::optional<AccuracyLine> on_page = NumericsPage().Line(line.name);
  ASSERT_TRUE(on_page.has_value()) << "docs/numerics.md has no line for " << line.name;
  EXPECT_EQ(on_page->Text(), line.Text());
}

// What a sample can say of a line that the denser one wrote.
void ExpectSampleFits(const AccuracyLine& sample, double error_at_worst) {
  const std::optional<AccuracyLine> line = NumericsPage().Line(sample.name);
  ASSERT_TRUE(line.has_value()) << "docs/numerics.md has no line for " << sample.name << "; see accuracy_test.cc";
  EXPECT_LE(sample.worst, line->worst * kPrinted)
      << "worse than the page's worst, at " << NumberText(sample.worst_at[0]);
  EXPECT_NEAR(error_at_worst, line->worst, line->worst * 5e-4) << "at the page's worst argument";
  EXPECT_NEAR(sample.share_correct, line->share_correct, 0.01);
  EXPECT_NEAR(sample.mean, line->mean, 0.03 * line->mean);
  AccuracyLine expected = *line;
  expected.bound = sample.bound;
  expected.over = sample.over;
  expected.limits = sample.limits;
  expected.shape = sample.shape;
  EXPECT_EQ(line->Text(), expected.Text()) << "RML_UPDATE_DOCS=1 writes it anew";
}

class FunctionTest : public testing::TestWithParam<Function> {};

TEST_P(FunctionTest, KeepsItsRow) {
  const Function& f = GetParam();
  const std::optional<AccuracyLine> known = NumericsPage().Line(f.name);
  const std::vector<float> also = known ? known->worst_at : std::vector<float>{};
  const uint32_t stride = UpdatesDocs() ? kPageStride : kSampleStride;
  const Accuracy accuracy = Full() ? SweepAll(f, ProgressOf(f.name)) : SweepSample(f, stride, also);
  EXPECT_EQ(accuracy.num_violations, 0) << absl::StrJoin(accuracy.violations, "\n");
  EXPECT_EQ(accuracy.num_backward, 0) << "neighbours out of order";
  EXPECT_LE(accuracy.worst, f.bound) << "at " << NumberText(accuracy.worst_x);
  const AccuracyLine line = LineOf(f, accuracy);
  std::printf("%s", line.Text().c_str());
  if (Full()) return;
  if (UpdatesDocs()) return ExpectLineOnPage(line);
  ASSERT_TRUE(known.has_value()) << "docs/numerics.md has no line for " << f.name << "; see accuracy_test.cc";
  ExpectSampleFits(line, ErrorAt(f, known->worst_at[0]));
}

INSTANTIATE_TEST_SUITE_P(Accuracy, FunctionTest, testing::ValuesIn(Functions()),
                         [](const auto& test) { return std::string(test.param.name); });

// The number of a limit is the first one: its inner neighbour gives something else.
TEST_P(FunctionTest, LimitsBeginWhereTheySay) {
  for (const Limit& limit : GetParam().limits) {
    const float before = std::nextafter(limit.x, 0.0f);
    float y = 0;
    (ActiveKernels().*GetParam().kernel)(&before, 1, &y);
    EXPECT_NE(y, limit.value) << NumberText(before);
  }
}

TEST(PowTest, KeepsItsRow) {
  const std::optional<AccuracyLine> known = NumericsPage().Line("pow");
  const uint64_t pairs = Full() ? kAllPowPairs : UpdatesDocs() ? kPowPagePairs : kPowSamplePairs;
  const PowAccuracy accuracy = SweepPow(pairs, ProgressOf("pow"));
  EXPECT_TRUE(accuracy.differences.empty()) << absl::StrJoin(accuracy.differences, "\n");
  EXPECT_LE(accuracy.worst, kPowBound) << "at " << NumberText(accuracy.worst_x) << ", " << NumberText(accuracy.worst_y);
  const AccuracyLine line = {.name = "pow",
                             .bound = absl::StrFormat("%g ulp", kPowBound),
                             .worst = accuracy.worst,
                             .worst_at = {accuracy.worst_x, accuracy.worst_y},
                             .mean = accuracy.MeanError(),
                             .share_correct = accuracy.ShareCorrect(),
                             .over = absl::StrFormat("a sample of 2^%d pairs", std::ilogb(kPowPagePairs)),
                             .limits = "",
                             .shape = ""};
  std::printf("%s", line.Text().c_str());
  if (Full()) return;
  if (UpdatesDocs()) return ExpectLineOnPage(line);
  ASSERT_TRUE(known.has_value() && known->worst_at.size() == 2) << "docs/numerics.md has no line for pow";
  ExpectSampleFits(line, PowErrorAt(known->worst_at[0], known->worst_at[1]));
}

class RowFunctionTest : public testing::TestWithParam<RowFunction> {};

TEST_P(RowFunctionTest, KeepsItsBoundOnEveryInstructionSet) {
  for (const KernelTable* kernels : AvailableKernels()) {
    EXPECT_LE(GetParam().measure(*kernels), GetParam().factor) << kernels->isa;
  }
}

INSTANTIATE_TEST_SUITE_P(Accuracy, RowFunctionTest, testing::ValuesIn(RowFunctions()),
                         [](const auto& test) { return std::string(test.param.name); });

void ExpectPartOfPage(const char* name, const std::string& text) {
  if (UpdatesDocs()) {
    NumericsPage page;
    page.SetPart(name, text);
    page.Write();
  }
  EXPECT_EQ(NumericsPage().Part(name), text) << "RML_UPDATE_DOCS=1 writes it anew";
}

TEST(NumericsPageTest, HasTheRowFunctions) { ExpectPartOfPage("rows", RowsTable()); }

TEST(NumericsPageTest, HasTheSpecialValuesOfEveryInstructionSet) {
  for (const KernelTable* kernels : AvailableKernels()) ExpectPartOfPage("special", SpecialValuesTable(*kernels));
}

// Nothing is left of a function that is gone.
TEST(NumericsPageTest, HasNoOtherLines) {
  const std::string part = NumericsPage().Part("accuracy");
  const auto num_lines = static_cast<size_t>(std::count(part.begin(), part.end(), '\n'));
  EXPECT_EQ(num_lines, Functions().size() + 1) << "one for each function and one for pow";
}

}  // namespace
}  // namespace rml
