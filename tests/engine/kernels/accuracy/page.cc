#include "tests/engine/kernels/accuracy/page.h"

#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "absl/base/casts.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/kernels/denormals.h"
#include "tests/engine/kernels/accuracy/functions.h"
#include "tests/engine/kernels/accuracy/measure.h"

namespace rml {
namespace {

constexpr const char* kPath = "docs/numerics.md";

std::string Begin(std::string_view name) { return absl::StrFormat("<!-- begin %s -->\n", std::string(name)); }
std::string End(std::string_view name) { return absl::StrFormat("<!-- end %s -->\n", std::string(name)); }
std::string LineStart(std::string_view name) { return absl::StrFormat("| `%s` |", std::string(name)); }

std::vector<std::string> Lines(const std::string& text) { return absl::StrSplit(text, '\n', absl::SkipEmpty()); }

// "2.625 (0x40280000)", or two of these.
std::optional<std::vector<float>> ParseNumbers(const std::string& text) {
  std::vector<float> numbers;
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(text, ", "))) {
    const size_t hex = part.find("(0x");
    if (hex == std::string::npos) return std::nullopt;
    numbers.push_back(absl::bit_cast<float>(static_cast<uint32_t>(std::strtoul(part.c_str() + hex + 1, nullptr, 16))));
  }
  return numbers;
}

}  // namespace

std::string AccuracyLine::Text() const {
  const std::string at = absl::StrJoin(worst_at, ", ", [](std::string* out, float x) { *out += NumberText(x); });
  return absl::StrFormat("%s %s | %.4g | %s | %.3g | %.2f %% | %s | %s | %s |\n", LineStart(name), bound, worst, at,
                         mean, 100 * share_correct, over, limits, shape);
}

NumericsPage::NumericsPage() {
  std::stringstream text;
  text << std::ifstream(kPath).rdbuf();
  text_ = text.str();
}

std::string NumericsPage::Part(std::string_view name) const {
  const size_t begin = text_.find(Begin(name)), end = text_.find(End(name));
  if (begin == std::string::npos || end == std::string::npos) return "";
  const size_t first = begin + Begin(name).size();
  return text_.substr(first, end - first);
}

void NumericsPage::SetPart(std::string_view name, std::string_view text) {
  const std::string old = Begin(name) + Part(name) + End(name);
  text_.replace(text_.find(old), old.size(), Begin(name) + std::string(text) + End(name));
}

std::optional<AccuracyLine> NumericsPage::Line(std::string_view name) const {
  for (const std::string& line : Lines(Part("accuracy"))) {
    if (!line.starts_with(LineStart(name))) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, " | ");
    if (cells.size() != 9) return std::nullopt;
    AccuracyLine result;
    result.name = name;
    result.bound = cells[1];
    result.over = cells[6];
    result.limits = cells[7];
    result.shape = cells[8].substr(0, cells[8].rfind(" |"));
    const std::optional<std::vector<float>> at = ParseNumbers(cells[3]);
    if (!at || !absl::SimpleAtod(cells[2], &result.worst) || !absl::SimpleAtod(cells[4], &result.mean))
      return std::nullopt;
    if (!absl::SimpleAtod(cells[5].substr(0, cells[5].find(' ')), &result.share_correct)) return std::nullopt;
    result.share_correct /= 100;
    result.worst_at = *at;
    return result;
  }
  return std::nullopt;
}

void NumericsPage::SetLine(const AccuracyLine& line) {
  std::string part;
  bool replaced = false;
  for (const std::string& old : Lines(Part("accuracy"))) {
    const bool same = old.starts_with(LineStart(line.name));
    absl::StrAppend(&part, same ? line.Text() : old + "\n");
    replaced = replaced || same;
  }
  if (!replaced) part += line.Text();
  SetPart("accuracy", part);
}

void NumericsPage::Write() const { std::ofstream(kPath) << text_; }

bool UpdatesDocs() { return std::getenv("RML_UPDATE_DOCS") != nullptr; }

std::string SpecialValuesTable(const KernelTable& kernels) {
  using Limits = std::numeric_limits<float>;
  const std::vector<float> x = {-Limits::infinity(), -Limits::max(),     -0.0f, 0.0f, Limits::max(),
                                Limits::infinity(),  Limits::quiet_NaN()};
  std::string table = "| x | -inf | -3.4e38 | -0 | 0 | 3.4e38 | inf | NaN |\n|---|---|---|---|---|---|---|---|\n";
  for (const Function& function : Functions()) {
    std::vector<float> y(x.size());
    {
      const ScopedFlushDenormals flush;
      (kernels.*function.kernel)(x.data(), static_cast<int64_t>(x.size()), y.data());
    }
    absl::StrAppend(&table, LineStart(function.name));
    for (const float value : y)
      absl::StrAppend(&table, " ", std::isnan(value) ? "NaN" : absl::StrFormat("%.4g", value), " |");
    absl::StrAppend(&table, "\n");
  }
  return table;
}

}  // namespace rml
