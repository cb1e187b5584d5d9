#include <gtest/gtest.h>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

struct Shapes {
  Shape a, b;
};

std::vector<Shapes> Pairs() {
  return {{{2, 3}, {2, 3}},     {{}, {}},
          {{1}, {1}},           {{0, 3}, {3}},
          {{3, 0}, {1}},        {{7, 13}, {13}},
          {{7, 13}, {7, 1}},    {{7, 13}, {}},
          {{}, {7, 13}},        {{13}, {7, 13}},
          {{4, 1, 5}, {3, 1}},  {{2, 1, 3, 1}, {5, 1, 7}},
          {{300, 401}, {401}},  {{300, 401}, {300, 1}},
          {{1, 70001}, {70001}}};
}

TEST(CompareStep, FloatsWithSpecialValues) {
  TestData data;
  for (const char* op : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    for (const Shapes& pair : Pairs()) {
      SCOPED_TRACE(ToString(pair.a) + " " + ToString(pair.b));
      StepTest(op, {}).Input(data.Specials(pair.a)).Input(data.Specials(pair.b)).Check(kExact);
    }
  }
}

TEST(CompareStep, Integers) {
  TestData data;
  for (const char* op : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    for (const Shapes& pair : Pairs()) {
      SCOPED_TRACE(ToString(pair.a) + " " + ToString(pair.b));
      StepTest(op, {}).Input(data.Integers(pair.a, -2, 2)).Input(data.Integers(pair.b, -2, 2)).Check(kExact);
    }
  }
}

TEST(CompareStep, IntegersBeyondFloatPrecision) {
  const auto y = StepTest("lt", {})
                     .Input(I32({2}, {16777216, -5}))
                     .Input(I32({2}, {16777217, -5}))
                     .Run({.kernels = AvailableKernels().back()});
  ASSERT_TRUE(y.ok()) << y.status();
  ExpectSameBits((*y)[0], F32({2}, {1, 0}));
}

}  // namespace
}  // namespace rml
