#include <gtest/gtest.h>

#include <limits>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
constexpr int32_t kLargest = std::numeric_limits<int32_t>::max();

Tensor Extremes() { return I32({8}, {kLowest, kLowest + 1, -7, -1, 0, 1, 7, kLargest}); }

TEST(IntegerStep, UnaryWraps) {
  TestData data;
  for (const char* op : {"neg", "abs", "relu"}) {
    StepTest(op, {}).Input(Extremes()).Check(kExact);
    for (const Shape& shape : {Shape{}, Shape{0, 2}, Shape{5, 7}, Shape{300, 401}}) {
      StepTest(op, {}).Input(data.Integers(shape, kLowest, kLargest)).Check(kExact);
    }
  }
}

TEST(IntegerStep, BinaryWrapsAndDivNeverTraps) {
  for (const char* op : {"add", "sub", "mul", "div", "maximum", "minimum"}) {
    // All pairs of extremes.
    Tensor column = Extremes();
    column.Resize(DType::kI32, {8, 1});
    StepTest(op, {}).Input(std::move(column)).Input(Extremes()).Check(kExact);
  }
  const auto y = StepTest("div", {})
                     .Input(I32({6}, {-7, 7, 7, kLowest, 0, -7}))
                     .Input(I32({6}, {2, -2, 0, -1, 0, 0}))
                     .Run({.kernels = AvailableKernels().back()});
  ASSERT_TRUE(y.ok()) << y.status();
  ExpectSameBits((*y)[0], I32({6}, {-3, -3, -1, kLowest, -1, -1}));
}

TEST(IntegerStep, Broadcasts) {
  TestData data;
  for (const char* op : {"add", "mul", "div"}) {
    StepTest(op, {}).Input(data.Integers({4, 1, 5}, -9, 9)).Input(data.Integers({3, 1}, -2, 2)).Check(kExact);
    StepTest(op, {}).Input(data.Integers({300, 401}, -9, 9)).Input(data.Integers({401}, -2, 2)).Check(kExact);
    StepTest(op, {}).Input(data.Integers({}, -9, 9)).Input(data.Integers({0, 3}, -2, 2)).Check(kExact);
  }
}

}  // namespace
}  // namespace rml
