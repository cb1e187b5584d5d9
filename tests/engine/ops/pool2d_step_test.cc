#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

struct Case {
  Shape x;
  std::vector<int64_t> kernel, strides, pads;
  bool ceil_mode = false;
  std::vector<int64_t> dilations = {1, 1};
};

std::vector<Case> Cases() {
  return {{{1, 1, 4, 4}, {2, 2}, {2, 2}, {0, 0, 0, 0}},       {{2, 3, 7, 5}, {3, 3}, {1, 1}, {1, 1, 1, 1}},
          {{2, 3, 7, 5}, {3, 2}, {2, 2}, {1, 0, 1, 1}},       {{1, 2, 4, 4}, {3, 3}, {2, 2}, {1, 1, 1, 1}, true},
          {{1, 2, 5, 9}, {2, 3}, {3, 2}, {0, 1, 1, 2}, true}, {{1, 1, 1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}},
          {{2, 5, 8, 8}, {8, 8}, {1, 1}, {0, 0, 0, 0}},       {{1, 1, 130, 3}, {130, 3}, {1, 1}, {0, 0, 0, 0}},
          {{0, 3, 4, 4}, {2, 2}, {2, 2}, {0, 0, 0, 0}},       {{2, 0, 4, 4}, {2, 2}, {2, 2}, {0, 0, 0, 0}},
          {{8, 16, 65, 67}, {3, 3}, {2, 2}, {0, 0, 1, 1}}};
}

std::vector<Case> DilatedCases() {
  return {{{1, 2, 9, 11}, {3, 3}, {1, 1}, {1, 2, 2, 1}, false, {2, 3}},
          {{1, 2, 9, 11}, {2, 3}, {2, 3}, {0, 1, 1, 0}, true, {3, 2}}};
}

AttrValue Ints(const std::vector<int64_t>& values) { return std::vector<Dim>(values.begin(), values.end()); }

Attrs PoolAttrs(const Case& c) {
  return {{"kernel", Ints(c.kernel)}, {"strides", Ints(c.strides)}, {"pads", Ints(c.pads)}, {"ceil_mode", c.ceil_mode}};
}

TEST(MaxPool2dStep, Windows) {
  TestData data;
  std::vector<Case> cases = Cases();
  for (const Case& c : DilatedCases()) cases.push_back(c);
  for (const Case& c : cases) {
    SCOPED_TRACE(ToString(c.x));
    Attrs attrs = PoolAttrs(c);
    attrs.emplace_back("dilations", Ints(c.dilations));
    StepTest("max_pool2d", attrs).Input(data.Uniform(c.x, -2, -1)).Check(kExact);  // padding is no zero
    StepTest("max_pool2d", attrs).Input(data.Specials(c.x)).Check(kExact);
  }
}

TEST(AvgPool2dStep, Windows) {
  TestData data;
  for (const Case& c : Cases()) {
    for (bool include_pad : {true, false}) {
      SCOPED_TRACE(ToString(c.x));
      Attrs attrs = PoolAttrs(c);
      attrs.emplace_back("count_include_pad", include_pad);
      StepTest("avg_pool2d", attrs).Input(data.Uniform(c.x)).Check({1e-6, 1e-6});
      StepTest("avg_pool2d", attrs).Input(data.WholeNumbers(c.x)).Check(Ulps(1));
    }
  }
}

TEST(AvgPool2dStep, CeilModeDividesByTheClippedWindow) {
  StepTest test("avg_pool2d", {{"kernel", IntsAttr({3, 3})},
                               {"strides", IntsAttr({2, 2})},
                               {"pads", IntsAttr({1, 1, 1, 1})},
                               {"count_include_pad", true},
                               {"ceil_mode", true}});
  test.Input(F32({1, 1, 4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
  test.Check(Ulps(1));
  const auto y = test.Run({.kernels = AvailableKernels().back()});
  ASSERT_TRUE(y.ok()) << y.status();
  ExpectClose((*y)[0], F32({1, 1, 3, 3}, {1.5556f, 3.3333f, 2, 6.3333f, 11, 6, 4.5f, 7.5f, 4}), {1e-4, 0});
}

TEST(Pool2dStep, NanStaysNan) {
  TestData data;
  for (int64_t position : {0, 7, 12, 24}) {
    Tensor x = data.Uniform({1, 1, 5, 5});
    x.data<float>()[position] = std::nanf("");
    for (const char* op : {"max_pool2d", "avg_pool2d"}) {
      for (int64_t stride : {1, 2}) {
        StepTest(
            op,
            {{"kernel", IntsAttr({3, 3})}, {"strides", IntsAttr({stride, stride})}, {"pads", IntsAttr({1, 1, 1, 1})}})
            .Input(x.Clone())
            .Check({1e-6, 1e-6});
      }
    }
  }
}

TEST(Pool2dStep, RowsDoNotDependOnTheBatchAndImagesAreReadThroughViews) {
  TestData data;
  for (const char* op : {"max_pool2d", "avg_pool2d"}) {
    StepTest test(op, {{"kernel", IntsAttr({3, 3})}, {"strides", IntsAttr({2, 2})}});
    test.Input(data.Uniform({3, 5, 19, 17}));
    test.CheckRowsAlone({0});
    EXPECT_TRUE(test.ReadsInPlace(0, Layout::kGaps));
    EXPECT_FALSE(test.ReadsInPlace(0, Layout::kTransposed));
  }
}

}  // namespace
}  // namespace rml
