#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

struct Case {
  Shape shape;
  int64_t axis;
};

std::vector<Case> Cases() {
  return {{{1}, 0},       {{5, 7}, 1},     {{5, 7}, 0},     {{2, 3, 17}, 1},    {{2, 33, 35}, 1},
          {{4, 5, 1}, 1}, {{3, 1, 2}, 1},  {{0, 4}, 1},     {{4, 0}, 1},        {{3, 0, 2}, 1},
          {{2, 3, 0}, 1}, {{300, 500}, 1}, {{300, 500}, 0}, {{2, 5, 3, 16}, 1}, {{1, 4099}, 1}};
}

TEST(SoftmaxStep, EveryAxis) {
  TestData data;
  for (const Case& c : Cases()) {
    SCOPED_TRACE(ToString(c.shape) + " axis " + std::to_string(c.axis));
    StepTest("softmax", {{"axis", IntAttr(c.axis)}}).Input(data.Uniform(c.shape, -8, 8)).Check({1e-9, 2e-6});
    StepTest("log_softmax", {{"axis", IntAttr(c.axis)}}).Input(data.Uniform(c.shape, -8, 8)).Check({2e-6, 1e-6});
  }
}

TEST(SoftmaxStep, SpecialRows) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::nanf("");
  for (const char* op : {"softmax", "log_softmax"}) {
    StepTest(op, {{"axis", IntAttr(1)}})
        .Input(F32({5, 3}, {-inf, -inf, -inf, nan, 0, 1, inf, 0, 1, -inf, 0, 1, 3e38f, -3e38f, 0}))
        .Check({1e-9, 2e-6});
  }
}

TEST(SoftmaxStep, RowsDoNotDependOnTheBatch) {
  TestData data;
  StepTest("softmax", {{"axis", IntAttr(1)}}).Input(data.Uniform({7, 131}, -9, 9)).CheckRowsAlone({0});
  StepTest("softmax", {{"axis", IntAttr(1)}}).Input(data.Uniform({5, 67, 19}, -9, 9)).CheckRowsAlone({0});
}

TEST(SoftmaxStep, ReadsRowsThroughViews) {
  TestData data;
  StepTest last("softmax", {{"axis", IntAttr(1)}});
  last.Input(data.Uniform({5, 7}));
  EXPECT_TRUE(last.ReadsInPlace(0, Layout::kGaps));
  EXPECT_FALSE(last.ReadsInPlace(0, Layout::kTransposed));
}

}  // namespace
}  // namespace rml
