#include "engine/ops/conv2d_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

struct Case {
  const char* name;
  Shape x, w;
  std::vector<int64_t> strides = {1, 1}, pads = {0, 0, 0, 0}, dilations = {1, 1};
  int64_t groups = 1;
};

std::vector<Case> Cases() {
  return {{"one pixel", {1, 1, 1, 1}, {1, 1, 1, 1}},
          {"3x3 same", {2, 3, 7, 9}, {5, 3, 3, 3}, {1, 1}, {1, 1, 1, 1}},
          {"valid", {2, 3, 7, 9}, {5, 3, 3, 2}},
          {"stride 2, pads after", {1, 2, 8, 6}, {4, 2, 3, 3}, {2, 2}, {0, 0, 1, 1}},
          {"uneven strides and pads", {2, 2, 9, 11}, {3, 2, 3, 4}, {3, 2}, {2, 0, 1, 3}},
          {"dilated", {1, 2, 11, 12}, {3, 2, 3, 3}, {1, 1}, {2, 3, 2, 3}, {2, 3}},
          {"dilated and strided", {1, 2, 11, 12}, {3, 2, 2, 3}, {2, 3}, {1, 0, 0, 2}, {3, 2}},
          {"1x1", {3, 5, 4, 6}, {7, 5, 1, 1}},
          {"1x1 strided", {3, 5, 5, 6}, {7, 5, 1, 1}, {2, 2}},
          {"1x1 padded", {1, 5, 3, 3}, {2, 5, 1, 1}, {1, 1}, {1, 0, 0, 1}},
          {"groups", {2, 6, 5, 5}, {4, 3, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 2},
          {"1x1 groups", {2, 6, 5, 5}, {4, 3, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 2},
          {"depthwise, two outputs each", {2, 3, 8, 8}, {6, 1, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 3},
          {"K over a block", {1, 40, 6, 7}, {5, 40, 3, 3}, {1, 1}, {1, 1, 1, 1}},
          {"no image", {0, 3, 7, 9}, {5, 3, 3, 3}},
          {"no output channel", {2, 3, 7, 9}, {0, 3, 3, 3}},
          {"no input channel", {2, 0, 4, 4}, {3, 0, 2, 2}},
          {"wide padding", {1, 2, 2, 2}, {3, 2, 3, 3}, {1, 1}, {4, 5, 4, 5}},
          {"many columns", {4, 3, 40, 41}, {17, 3, 3, 3}, {1, 1}, {1, 1, 1, 1}}};
}

AttrValue Ints(const std::vector<int64_t>& values) { return std::vector<Dim>(values.begin(), values.end()); }

Attrs ConvAttrs(const Case& c) {
  return {{"strides", Ints(c.strides)},
          {"pads", Ints(c.pads)},
          {"dilations", Ints(c.dilations)},
          {"groups", IntAttr(c.groups)}};
}

int64_t Terms(const Case& c) { return c.w.dim(1) * c.w.dim(2) * c.w.dim(3); }

TEST(Conv2dStep, WholeNumbersAreExact) {
  TestData data;
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    StepTest("conv2d", ConvAttrs(c)).Input(data.WholeNumbers(c.x)).Constant(data.WholeNumbers(c.w)).Check(kExact);
    StepTest("conv2d", ConvAttrs(c))
        .Input(data.WholeNumbers(c.x))
        .Constant(data.WholeNumbers(c.w))
        .Constant(data.WholeNumbers({c.w.dim(0)}))
        .Check(kExact);
  }
}

TEST(Conv2dStep, Reals) {
  TestData data;
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    StepTest("conv2d", ConvAttrs(c))
        .Input(data.Uniform(c.x))
        .Constant(data.Uniform(c.w))
        .Check(SumTolerance(Terms(c), UniformNorm(Terms(c))));
  }
}

TEST(Conv2dStep, SpecialValuesReachTheOutputsThatReadThem) {
  TestData data;
  const Case c{"3x3 same", {2, 3, 7, 9}, {5, 3, 3, 3}, {1, 1}, {1, 1, 1, 1}};
  Tensor x = data.Uniform(c.x);
  x.data<float>()[40] = std::numeric_limits<float>::infinity();
  x.data<float>()[300] = std::nanf("");
  StepTest("conv2d", ConvAttrs(c)).Input(std::move(x)).Constant(data.Uniform(c.w)).Check({1e-5, 1e-5});
}

TEST(Conv2dStep, RowsDoNotDependOnTheBatch) {
  TestData data;
  for (const Case& c :
       {Case{"3x3", {5, 30, 9, 9}, {7, 30, 3, 3}, {1, 1}, {1, 1, 1, 1}}, Case{"1x1", {5, 300, 4, 4}, {7, 300, 1, 1}}}) {
    StepTest("conv2d", ConvAttrs(c)).Input(data.Uniform(c.x)).Constant(data.Uniform(c.w)).CheckRowsAlone({0});
  }
}

TEST(Conv2dStep, ConstantBiasAndActivationOfAFusion) {
  TestData data;
  const KernelTable& best = *AvailableKernels().back();
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    const Tensor bias = data.Uniform({c.w.dim(0)});
    StepTest plain("conv2d", ConvAttrs(c));
    plain.Input(data.Uniform(c.x)).Constant(data.Uniform(c.w)).Constant(bias.Clone());
    auto separate = plain.Run({.kernels = &best});
    ASSERT_TRUE(separate.ok()) << separate.status();
    best.relu((*separate)[0].data<float>().data(), (*separate)[0].num_elements(), (*separate)[0].data<float>().data());
    // The same x and w without the bias input.
    StepTest fused = plain.WithoutLastInput();
    fused.CompileWith([&](const CompileContext& context) -> absl::StatusOr<std::unique_ptr<Step>> {
      return MakeConv2dStep(context, {.bias = bias.data<float>().data(), .activation = context.kernels.relu});
    });
    const auto together = fused.Run({.kernels = &best, .width = 2});
    ASSERT_TRUE(together.ok()) << together.status();
    ExpectSameBits((*together)[0], (*separate)[0]);
  }
}

TEST(Conv2dStep, ReadsImagesThroughViews) {
  TestData data;
  StepTest test("conv2d", {});
  test.Input(data.Uniform({2, 3, 5, 5})).Constant(data.Uniform({4, 3, 3, 3}));
  EXPECT_TRUE(test.ReadsInPlace(0, Layout::kGaps));
  EXPECT_FALSE(test.ReadsInPlace(0, Layout::kTransposed));
}

}  // namespace
}  // namespace rml
