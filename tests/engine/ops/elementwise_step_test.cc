// Elementwise ops, products and fused programs against their references, on every set, width and layout.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

class UnaryStepTest : public testing::TestWithParam<const char*> {};

TEST_P(UnaryStepTest, AgreesWithTheReference) {
  TestData data;
  // gelu and erfc keep 1e-5 down their tails, the others 2 units in the last place.
  const std::string op = GetParam();
  const Tolerance tolerance = op == "gelu" || op == "erfc" ? Tolerance{0, 1e-5} : Ulps(4);
  for (const Shape& shape : std::vector<Shape>{{0}, {1}, {17}, {3, 5}, {2, 3, 700}}) {
    StepTest(GetParam(), {}).Input(data.Uniform(shape, 0.1f, 3.0f)).Check(tolerance);
    StepTest(GetParam(), {}).Input(data.Uniform(shape, -3.0f, 3.0f)).Check(tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, UnaryStepTest,
                         testing::Values("neg", "abs", "relu", "exp", "log", "sqrt", "rsqrt", "reciprocal", "sin",
                                         "cos", "tanh", "sigmoid", "erf", "gelu", "sign", "floor", "ceil", "round_even",
                                         "expm1", "log1p", "erfc"));

class BinaryStepTest : public testing::TestWithParam<const char*> {};

TEST_P(BinaryStepTest, BroadcastsAsTheReference) {
  TestData data;
  const std::vector<std::pair<Shape, Shape>> shapes = {{{3, 5}, {3, 5}}, {{3, 5}, {5}},       {{3, 5}, {3, 1}},
                                                       {{}, {3, 5}},     {{2, 1, 4}, {3, 1}}, {{2, 3, 4, 5}, {3, 1, 1}},
                                                       {{0, 5}, {5}},    {{1, 700}, {4, 1}}};
  for (const auto& [a, b] : shapes) {
    StepTest(GetParam(), {}).Input(data.Uniform(a, 0.5f, 2)).Input(data.Uniform(b, 0.5f, 2)).Check(Ulps(4));
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, BinaryStepTest,
                         testing::Values("add", "sub", "mul", "div", "maximum", "minimum", "pow", "remainder",
                                         "floor_div"));

TEST(MatMulStep, EveryFormAgreesWithTheReference) {
  TestData data;
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{1, 1}, {1, 1}},      {{7, 13}, {13, 33}},    {{3, 5, 7}, {7, 2}},       {{5}, {5}},       {{5}, {5, 3}},
      {{4, 5}, {5}},         {{2, 3, 4}, {2, 4, 5}}, {{2, 1, 3, 4}, {5, 4, 2}}, {{0, 3}, {3, 2}}, {{2, 0}, {0, 3}},
      {{2, 300}, {300, 17}}, {{3}, {2, 3, 4}},       {{13, 6}, {6, 0}}};
  for (const auto& [a, b] : shapes) {
    StepTest("matmul", {}).Input(data.WholeNumbers(a)).Input(data.WholeNumbers(b)).Check(kExact);
    StepTest("matmul", {}).Input(data.WholeNumbers(a)).Constant(data.WholeNumbers(b)).Check(kExact);
    StepTest("matmul", {}).Constant(data.WholeNumbers(a)).Input(data.WholeNumbers(b)).Check(kExact);
  }
}

}  // namespace
}  // namespace rml
