#include <gtest/gtest.h>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

constexpr Tolerance kTolerance{2e-6, 2e-6};

StepTest LayerNorm(Tensor x, std::initializer_list<int64_t> axes, double eps = 1e-5) {
  StepTest test("layer_norm", {{"axes", IntsAttr(axes)}, {"eps", eps}});
  test.Input(std::move(x));
  return test;
}

TEST(LayerNormStep, WeightAndBias) {
  TestData data;
  for (const Shape& shape : {Shape{5, 7}, Shape{1, 1}, Shape{0, 4}, Shape{2, 3, 65}, Shape{3, 257}, Shape{300, 401}}) {
    SCOPED_TRACE(ToString(shape));
    const int64_t axis = shape.rank() - 1;
    const Shape row{shape.dim(-1)};
    LayerNorm(data.Uniform(shape), {axis}).Check(kTolerance);
    LayerNorm(data.Uniform(shape), {axis}).Constant(data.Uniform(row)).Check(kTolerance);
    LayerNorm(data.Uniform(shape), {axis}).Constant(data.Uniform(row)).Constant(data.Uniform(row)).Check(kTolerance);
  }
}

TEST(LayerNormStep, SeveralAxes) {
  TestData data;
  LayerNorm(data.Uniform({3, 4, 5}), {1, 2})
      .Constant(data.Uniform({4, 5}))
      .Constant(data.Uniform({4, 5}))
      .Check(kTolerance);
  LayerNorm(data.Uniform({3, 4, 5}), {0, 1, 2}).Check(kTolerance);
}

TEST(LayerNormStep, ValuesFarFromZero) {
  StepTest steep = LayerNorm(F32({1, 4}, {40000, 40001, 40002, 40003}), {1});
  steep.Check(kTolerance);
  const auto y = steep.Run({.kernels = AvailableKernels().back()});
  ASSERT_TRUE(y.ok()) << y.status();
  ExpectClose((*y)[0], F32({1, 4}, {-1.3416f, -0.4472f, 0.4472f, 1.3416f}), {1e-4, 0});
  // A constant row gives the bias; huge values do not overflow.
  LayerNorm(F32({1, 3}, {1234, 1234, 1234}), {1})
      .Constant(F32({3}, {1, 1, 1}))
      .Constant(F32({3}, {1, 2, 3}))
      .Check(kExact);
  LayerNorm(F32({1, 4}, {1e30f, -1e30f, 2e30f, -2e30f}), {1}).Check(kTolerance);
}

TEST(LayerNormStep, RowsDoNotDependOnTheBatch) {
  TestData data;
  LayerNorm(data.Uniform({6, 131}), {1}).Constant(data.Uniform({131})).CheckRowsAlone({0});
  EXPECT_TRUE(LayerNorm(data.Uniform({6, 131}), {1}).ReadsInPlace(0, Layout::kGaps));
}

}  // namespace
}  // namespace rml
