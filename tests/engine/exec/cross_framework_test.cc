// Every model of the zoo by all its routes: the same inputs, and results that agree pair by pair. Each framework matching
// its own graph (golden_test.cc) does not yet say that the frameworks' definitions are the same model.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/exec/fixtures.h"

namespace rml {
namespace {

constexpr double kTinyTolerance = 1e-5;  // absolute, design: tiny fixtures
constexpr size_t kFewestModels = 19;

using Model = std::pair<const std::string, std::map<std::string, Fixture>>;

std::vector<Model> Models() {
  const auto models = FindFixturesByModel();
  return {models.begin(), models.end()};
}

// One of the results of a model: what the framework gave, or what rml gives for its graph.
struct Result {
  std::string origin;
  std::vector<Tensor> outputs;
};

bool SameBits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.shape().num_bytes()) == 0;
}

bool HasNaN(const Tensor& tensor) {
  if (tensor.dtype() != DType::kF32) return false;
  for (const float x : tensor.data<float>()) {
    if (std::isnan(x)) return true;
  }
  return false;
}

void ExpectAgreement(const Result& a, const Result& b) {
  ASSERT_EQ(a.outputs.size(), b.outputs.size()) << a.origin << " and " << b.origin;
  for (size_t i = 0; i < a.outputs.size(); ++i) {
    const Tensor& left = a.outputs[i];
    const Tensor& right = b.outputs[i];
    ASSERT_EQ(left.dtype(), right.dtype()) << a.origin << " and " << b.origin << ", output " << i;
    ASSERT_EQ(left.shape(), right.shape()) << a.origin << " and " << b.origin << ", output " << i;
    EXPECT_LE(MaxAbsError(left.view(), right.view()), kTinyTolerance)
        << a.origin << " and " << b.origin << ", output " << i;
  }
}

class CrossFrameworkTest : public testing::TestWithParam<Model> {};

TEST_P(CrossFrameworkTest, AllRoutesHaveTheSameInputs) {
  const auto& routes = GetParam().second;
  const absl::StatusOr<Golden> first = ReadGolden(routes.begin()->second.golden_path);
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_FALSE(first->inputs.empty());
  for (const auto& [route, fixture] : routes) {
    const absl::StatusOr<Golden> golden = ReadGolden(fixture.golden_path);
    ASSERT_TRUE(golden.ok()) << golden.status();
    ASSERT_EQ(golden->inputs.size(), first->inputs.size()) << route;
    for (size_t i = 0; i < golden->inputs.size(); ++i) {
      EXPECT_TRUE(SameBits(golden->inputs[i], first->inputs[i])) << "input " << i << " of " << route;
    }
  }
}

TEST_P(CrossFrameworkTest, AllResultsAgree) {
  std::vector<Result> results;
  for (const auto& [route, fixture] : GetParam().second) {
    absl::StatusOr<Golden> golden = ReadGolden(fixture.golden_path);
    ASSERT_TRUE(golden.ok()) << golden.status();
    const auto program = Program::Load(fixture.json_path);
    ASSERT_TRUE(program.ok()) << program.status();
    auto outputs = RunOnce(*program, golden->inputs, 1);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    results.push_back({"the framework of " + route, std::move(golden->outputs)});
    results.push_back({"rml on " + route, *std::move(outputs)});
  }
  for (size_t a = 0; a < results.size(); ++a) {
    for (const Tensor& output : results[a].outputs) EXPECT_FALSE(HasNaN(output)) << results[a].origin;
    for (size_t b = a + 1; b < results.size(); ++b) ExpectAgreement(results[a], results[b]);
  }
}

std::string NameOf(const testing::TestParamInfo<Model>& info) { return info.param.first; }
INSTANTIATE_TEST_SUITE_P(Models, CrossFrameworkTest, testing::ValuesIn(Models()), NameOf);

TEST(Fixtures, EveryModelHasEveryRoute) {
  const auto models = FindFixturesByModel();
  EXPECT_GE(models.size(), kFewestModels);
  for (const auto& [model, routes] : models) {
    for (const std::string_view route : kRoutes) {
      EXPECT_TRUE(routes.contains(std::string(route))) << route << "_" << model << " is missing";
    }
  }
  for (const Fixture& fixture : FindFixtures()) EXPECT_NE(fixture.route, "") << fixture.name << " is of no route";
}

}  // namespace
}  // namespace rml
