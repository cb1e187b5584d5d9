#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

Attrs TopKAttrs(int64_t k, int64_t axis, bool largest = true) {
  return {{"k", IntAttr(k)}, {"axis", IntAttr(axis)}, {"largest", largest}};
}

struct Case {
  Shape shape;
  int64_t k, axis;
};

std::vector<Case> Cases() {
  return {{{1}, 1, 0},    {{5}, 5, 0},    {{4, 7}, 1, 1}, {{4, 7}, 3, 1},     {{4, 7}, 2, 0},     {{2, 5, 3}, 4, 1},
          {{0, 4}, 2, 1}, {{3, 4}, 0, 1}, {{3, 0}, 0, 1}, {{3, 17, 1}, 5, 1}, {{300, 401}, 8, 1}, {{300, 401}, 8, 0}};
}

TEST(TopKStep, BothOrdersWithManyTies) {
  TestData data;
  for (const Case& c : Cases()) {
    for (bool largest : {true, false}) {
      SCOPED_TRACE(ToString(c.shape) + " k " + std::to_string(c.k) + " axis " + std::to_string(c.axis));
      StepTest("top_k", TopKAttrs(c.k, c.axis, largest)).Input(data.WholeNumbers(c.shape)).Check(kExact);
      StepTest("top_k", TopKAttrs(c.k, c.axis, largest)).Input(data.Uniform(c.shape)).Check(kExact);
      StepTest("top_k", TopKAttrs(c.k, c.axis, largest)).Input(data.Specials(c.shape)).Check(kExact);
    }
  }
}

TEST(TopKStep, TiesGoToTheLowestPlaceAndNanIsLargest) {
  const float nan = std::nanf("");
  const float inf = std::numeric_limits<float>::infinity();
  StepTest largest("top_k", TopKAttrs(6, 0));
  largest.Input(F32({8}, {0.0f, -0.0f, inf, nan, 1, -nan, -inf, 1}));
  const auto best = largest.Run({.kernels = AvailableKernels().back()});
  ASSERT_TRUE(best.ok()) << best.status();
  ExpectSameBits((*best)[1], I32({6}, {3, 5, 2, 4, 7, 0}));
  StepTest smallest("top_k", TopKAttrs(8, 0, false));
  smallest.Input(F32({8}, {0.0f, -0.0f, inf, nan, 1, -nan, -inf, 1}));
  const auto worst = smallest.Run({.kernels = AvailableKernels().back()});
  ASSERT_TRUE(worst.ok()) << worst.status();
  ExpectSameBits((*worst)[1], I32({8}, {6, 0, 1, 4, 7, 2, 3, 5}));
}

TEST(TopKStep, RowsDoNotDependOnTheBatch) {
  TestData data;
  StepTest("top_k", TopKAttrs(4, 1)).Input(data.WholeNumbers({6, 31})).CheckRowsAlone({0});
}

}  // namespace
}  // namespace rml
