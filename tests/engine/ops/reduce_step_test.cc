#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

struct Case {
  Shape shape;
  std::vector<int64_t> axes;
};

std::vector<Case> Cases() {
  return {
      {{5}, {0}},          {{}, {}},          {{3, 4}, {}},           {{3, 4}, {0}},          {{3, 4}, {1}},
      {{3, 4}, {0, 1}},    {{2, 3, 37}, {1}}, {{2, 3, 5, 7}, {0, 2}}, {{2, 3, 5, 7}, {1, 3}}, {{2, 3, 5, 7}, {0, 2, 3}},
      {{0, 3}, {0}},       {{0, 3}, {1}},     {{3, 0}, {1}},          {{3, 0, 2}, {1}},       {{1, 5, 1}, {1}},
      {{7, 1031}, {1}},    {{1031, 7}, {0}},  {{4, 129, 33}, {1}},    {{300, 401}, {1}},      {{300, 401}, {0}},
      {{300, 401}, {0, 1}}};
}

Attrs ReduceAttrs(const Case& c, bool keep_dims) {
  return {{"axes", std::vector<Dim>(c.axes.begin(), c.axes.end())}, {"keep_dims", keep_dims}};
}

TEST(ReduceStep, WholeNumbersAreExact) {
  TestData data;
  for (const char* op : {"reduce_sum", "reduce_max", "reduce_min"}) {
    for (const Case& c : Cases()) {
      SCOPED_TRACE(std::string(op) + ToString(c.shape));
      StepTest(op, ReduceAttrs(c, false)).Input(data.WholeNumbers(c.shape)).Check(kExact);
      StepTest(op, ReduceAttrs(c, true)).Input(data.Integers(c.shape, -1000000000, 1000000000)).Check(kExact);
    }
  }
}

TEST(ReduceStep, Reals) {
  TestData data;
  for (const Case& c : Cases()) {
    SCOPED_TRACE(ToString(c.shape));
    const auto terms = static_cast<double>(c.shape.num_elements());
    StepTest("reduce_sum", ReduceAttrs(c, true)).Input(data.Uniform(c.shape)).Check(SumTolerance(64, std::sqrt(terms)));
    StepTest("reduce_mean", ReduceAttrs(c, false)).Input(data.Uniform(c.shape)).Check({1e-6, 1e-6});
    StepTest("reduce_prod", ReduceAttrs(c, true)).Input(data.Uniform(c.shape, 0.99f, 1.01f)).Check(Ulps(2));
  }
}

TEST(ReduceStep, NanAnywhere) {
  TestData data;
  for (const char* op : {"reduce_sum", "reduce_max", "reduce_min", "reduce_mean", "reduce_prod"}) {
    for (int64_t position : {0, 5, 16, 36}) {
      Tensor x = data.Uniform({2, 37});
      x.data<float>()[position] = std::nanf("");
      StepTest(op, {{"axes", IntsAttr({1})}}).Input(std::move(x)).Check({1e-5, 1e-5});
    }
  }
}

TEST(ReduceStep, BitsDependOnTheNumberOfTermsAlone) {
  TestData data;
  StepTest("reduce_sum", {{"axes", IntsAttr({1})}}).Input(data.Uniform({5, 333, 21})).CheckRowsAlone({0});
  // A column sums as the same numbers in a row do.
  const Tensor row = data.Uniform({1, 777});
  Tensor column = row.Clone();
  column.Resize(DType::kF32, {777, 1});
  const StepTest::RunOptions best{.kernels = AvailableKernels().back()};
  StepTest along("reduce_sum", {{"axes", IntsAttr({1})}});
  StepTest across("reduce_sum", {{"axes", IntsAttr({0})}});
  ExpectSameBits((*along.Input(row.Clone()).Run(best))[0], (*across.Input(std::move(column)).Run(best))[0]);
}

}  // namespace
}  // namespace rml
