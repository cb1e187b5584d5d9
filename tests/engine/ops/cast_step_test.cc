#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
constexpr int32_t kLargest = std::numeric_limits<int32_t>::max();

TEST(CastStep, FloatToIntegerTruncatesAndSaturates) {
  const float inf = std::numeric_limits<float>::infinity();
  StepTest test("cast", {{"to", StringAttr("i32")}});
  test.Input(F32({12}, {1.9f, -1.9f, 0.5f, -0.0f, 2147483520.0f, 2147483648.0f, -2147483648.0f, -2147483904.0f, inf,
                        -inf, std::nanf(""), 1e-40f}));
  test.Check(kExact);
  const auto y = test.Run({.kernels = AvailableKernels().back()});
  ASSERT_TRUE(y.ok()) << y.status();
  ExpectSameBits((*y)[0], I32({12}, {1, -1, 0, 0, 2147483520, kLargest, kLowest, kLowest, kLargest, kLowest, 0, 0}));
}

TEST(CastStep, IntegerToFloatRoundsToNearest) {
  StepTest test("cast", {{"to", StringAttr("f32")}});
  test.Input(I32({5}, {0, -7, 16777217, kLargest, kLowest}));
  test.Check(kExact);
}

TEST(CastStep, ShapesAndSameType) {
  TestData data;
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{3, 5}, Shape{2, 3, 5}, Shape{300, 401}}) {
    for (const char* to : {"f32", "i32"}) {
      SCOPED_TRACE(ToString(shape) + to);
      StepTest("cast", {{"to", StringAttr(to)}}).Input(data.Uniform(shape, -1e5f, 1e5f)).Check(kExact);
      StepTest("cast", {{"to", StringAttr(to)}}).Input(data.Integers(shape, kLowest, kLargest)).Check(kExact);
    }
  }
}

}  // namespace
}  // namespace rml
