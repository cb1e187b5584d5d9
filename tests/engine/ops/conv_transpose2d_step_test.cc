#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

struct Case {
  const char* name;
  Shape x, w;
  std::vector<int64_t> strides = {1, 1}, pads = {0, 0, 0, 0}, dilations = {1, 1}, output_pads = {0, 0};
  int64_t groups = 1;
};

std::vector<Case> Cases() {
  return {{"one pixel", {1, 1, 1, 1}, {1, 1, 1, 1}},
          {"stride 1", {2, 3, 7, 9}, {3, 5, 3, 2}},
          {"stride 1, pads", {2, 3, 7, 9}, {3, 5, 3, 3}, {1, 1}, {1, 1, 1, 1}},
          {"stride 1, pads beyond the kernel", {1, 2, 7, 9}, {2, 3, 2, 2}, {1, 1}, {3, 2, 0, 4}},
          {"kernel 2, stride 2", {2, 3, 4, 5}, {3, 6, 2, 2}, {2, 2}},
          {"kernel 2, stride 2, one pad", {2, 3, 4, 5}, {3, 6, 2, 2}, {2, 2}, {1, 0, 0, 1}},
          {"kernel 4, stride 2, pad 1", {2, 3, 4, 5}, {3, 6, 4, 4}, {2, 2}, {1, 1, 1, 1}},
          {"kernel 3, stride 2, output pad", {2, 3, 4, 5}, {3, 2, 3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}, {1, 1}},
          {"uneven", {1, 2, 5, 4}, {2, 3, 3, 5}, {3, 2}, {2, 0, 1, 3}, {1, 1}, {2, 1}},
          {"stride in one direction", {1, 3, 5, 4}, {3, 2, 3, 3}, {2, 1}, {1, 1, 1, 1}},
          {"stride larger than the kernel", {1, 2, 3, 4}, {2, 3, 2, 1}, {3, 4}, {0, 0, 0, 0}, {1, 1}, {1, 2}},
          {"dilated", {1, 2, 6, 5}, {2, 3, 3, 3}, {1, 1}, {2, 1, 2, 3}, {2, 3}},
          {"dilation and stride coprime", {1, 2, 4, 5}, {2, 3, 3, 4}, {2, 3}, {1, 0, 0, 2}, {3, 2}},
          {"dilation and stride share a factor", {1, 2, 4, 5}, {2, 3, 3, 4}, {4, 6}, {1, 0, 0, 2}, {2, 4}},
          {"groups", {2, 6, 4, 5}, {6, 2, 3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}, {0, 1}, 2},
          {"depthwise", {2, 3, 5, 5}, {3, 1, 4, 4}, {2, 2}, {1, 1, 1, 1}, {1, 1}, {0, 0}, 3},
          {"K over a block", {1, 140, 4, 5}, {140, 5, 3, 3}, {2, 2}, {1, 1, 1, 1}},
          {"no image", {0, 3, 4, 5}, {3, 5, 3, 3}, {2, 2}},
          {"no output channel", {2, 3, 4, 5}, {3, 0, 3, 3}, {2, 2}},
          {"no input channel", {2, 0, 4, 4}, {0, 3, 2, 2}, {2, 2}},
          {"many columns", {4, 3, 20, 41}, {3, 17, 4, 4}, {2, 2}, {1, 1, 1, 1}}};
}

AttrValue Ints(const std::vector<int64_t>& values) { return std::vector<Dim>(values.begin(), values.end()); }

Attrs AttrsOf(const Case& c) {
  return {{"strides", Ints(c.strides)},
          {"pads", Ints(c.pads)},
          {"dilations", Ints(c.dilations)},
          {"groups", IntAttr(c.groups)},
          {"output_pads", Ints(c.output_pads)}};
}

int64_t Terms(const Case& c) { return c.w.dim(0) / c.groups * c.w.dim(2) * c.w.dim(3); }

TEST(ConvTranspose2dStep, WholeNumbersAreExact) {
  TestData data;
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    StepTest("conv_transpose2d", AttrsOf(c))
        .Input(data.WholeNumbers(c.x))
        .Constant(data.WholeNumbers(c.w))
        .Check(kExact);
    StepTest("conv_transpose2d", AttrsOf(c))
        .Input(data.WholeNumbers(c.x))
        .Constant(data.WholeNumbers(c.w))
        .Constant(data.WholeNumbers({c.w.dim(1) * c.groups}))
        .Check(kExact);
  }
}

TEST(ConvTranspose2dStep, Reals) {
  TestData data;
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    StepTest("conv_transpose2d", AttrsOf(c))
        .Input(data.Uniform(c.x))
        .Constant(data.Uniform(c.w))
        .Check(SumTolerance(Terms(c), UniformNorm(Terms(c))));
  }
}

TEST(ConvTranspose2dStep, SpecialValuesReachTheOutputsThatReadThem) {
  TestData data;
  const Case c{"", {2, 3, 7, 9}, {3, 5, 4, 4}, {2, 2}, {1, 1, 1, 1}};
  Tensor x = data.Uniform(c.x);
  x.data<float>()[40] = std::numeric_limits<float>::infinity();
  x.data<float>()[300] = std::nanf("");
  Tensor w = data.Uniform(c.w);
  w.data<float>()[5] = std::numeric_limits<float>::infinity();
  StepTest("conv_transpose2d", AttrsOf(c)).Input(std::move(x)).Constant(std::move(w)).Check({1e-5, 1e-5});
}

TEST(ConvTranspose2dStep, RowsDoNotDependOnTheBatch) {
  TestData data;
  for (const Case& c : {Case{"4x4", {5, 70, 4, 5}, {70, 7, 4, 4}, {2, 2}, {1, 1, 1, 1}},
                        Case{"2x2", {5, 300, 4, 4}, {300, 7, 2, 2}, {2, 2}}}) {
    StepTest("conv_transpose2d", AttrsOf(c)).Input(data.Uniform(c.x)).Constant(data.Uniform(c.w)).CheckRowsAlone({0});
  }
}

// Each output is conv2d's sum over the image with zeros between its elements, with the kernel backwards, without those
// zeros: the same terms in another order, so whole numbers agree exactly.
TEST(ConvTranspose2dStep, IsTheConvolutionOfTheSpreadImage) {
  TestData data;
  const Shape x_shape{1, 2, 3, 4}, w_shape{2, 3, 3, 2};
  const Tensor x = data.WholeNumbers(x_shape), w = data.WholeNumbers(w_shape);
  Tensor spread(DType::kF32, {1, 2, 2 * 2 + 1, 3 * 3 + 1}), backwards(DType::kF32, {3, 2, 3, 2});
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const int64_t c = i / 12, row = i / 4 % 3, column = i % 4;
    spread.data<float>()[(c * 5 + 2 * row) * 10 + 3 * column] = x.data<float>()[i];
  }
  for (int64_t i = 0; i < w.num_elements(); ++i) {
    const int64_t c = i / 18, o = i / 6 % 3, tap = i % 6;
    backwards.data<float>()[(o * 2 + c) * 6 + 5 - tap] = w.data<float>()[i];
  }
  StepTest convolution("conv2d", {{"pads", Ints({2, 1, 2, 1})}});
  convolution.Input(std::move(spread)).Constant(std::move(backwards));
  StepTest transposed("conv_transpose2d", {{"strides", Ints({2, 3})}});
  transposed.Input(x.Clone()).Constant(w.Clone());
  const auto expected = convolution.Run({.kernels = AvailableKernels().back()});
  const auto actual = transposed.Run({.kernels = AvailableKernels().back()});
  ASSERT_TRUE(expected.ok() && actual.ok());
  ExpectClose((*actual)[0], (*expected)[0], kExact);
}

TEST(ConvTranspose2dStep, ReadsImagesThroughViews) {
  TestData data;
  StepTest test("conv_transpose2d", {});
  test.Input(data.Uniform({2, 3, 5, 5})).Constant(data.Uniform({3, 4, 3, 3}));
  EXPECT_TRUE(test.ReadsInPlace(0, Layout::kGaps));
  EXPECT_FALSE(test.ReadsInPlace(0, Layout::kTransposed));
}

}  // namespace
}  // namespace rml
