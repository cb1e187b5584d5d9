#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

Attrs GatherAttrs(int64_t axis, const char* mode, bool wrap) {
  return {{"axis", IntAttr(axis)}, {"mode", StringAttr(mode)}, {"wrap", wrap}};
}

struct Case {
  Shape data, indices;
  int64_t axis;
};

std::vector<Case> Cases() {
  return {{{5}, {}, 0},          {{5}, {7}, 0},          {{5, 3}, {4}, 0},          {{5, 3}, {2, 4}, 1},
          {{2, 5, 3}, {4}, 1},   {{2, 5, 3}, {3, 2}, 2}, {{5, 0}, {4}, 0},          {{0, 5}, {4}, 1},
          {{5, 3}, {0}, 0},      {{5, 3}, {2, 0}, 0},    {{1000, 64}, {40, 50}, 0}, {{7, 300}, {11000}, 1},
          {{2, 3, 4, 5}, {6}, 1}};
}

TEST(GatherStep, EveryModeAndAxis) {
  TestData data;
  for (const Case& c : Cases()) {
    const auto size = static_cast<int32_t>(c.data.dim(static_cast<int>(c.axis)));
    SCOPED_TRACE(ToString(c.data) + ToString(c.indices) + " axis " + std::to_string(c.axis));
    for (bool wrap : {false, true}) {
      const int32_t lowest = wrap ? -size : 0;
      StepTest("gather", GatherAttrs(c.axis, "error", wrap))
          .Input(data.Specials(c.data))
          .Input(data.Integers(c.indices, lowest, size - 1))
          .Check(kExact);
      for (const char* mode : {"clamp", "fill"}) {
        StepTest("gather", GatherAttrs(c.axis, mode, wrap))
            .Constant(data.Integers(c.data, -99, 99))
            .Input(data.Integers(c.indices, -2 * size, 2 * size))
            .Check(kExact);
        StepTest("gather", GatherAttrs(c.axis, mode, wrap))
            .Input(data.Uniform(c.data))
            .Input(data.Integers(c.indices, -2 * size, 2 * size))
            .Check(kExact);
      }
    }
  }
}

TEST(GatherStep, ClampTakesTheNearestRow) {
  StepTest test("gather", GatherAttrs(0, "clamp", false));
  test.Input(F32({3}, {10, 20, 30})).Input(I32({4}, {-5, 0, 2, 100}));
  ExpectSameBits((*test.Run({.kernels = AvailableKernels().back()}))[0], F32({4}, {10, 10, 30, 30}));
}

TEST(GatherStep, FillOfEmptyData) {
  TestData data;
  StepTest("gather", GatherAttrs(0, "fill", false)).Input(data.Uniform({0, 3})).Input(I32({2}, {0, 1})).Check(kExact);
}

TEST(GatherStep, ErrorsNameIndexPositionAndRange) {
  struct Bad {
    int32_t index;
    bool wrap;
    const char* message;
  };
  for (const Bad& bad : {Bad{3, false, "index 3 at position [1, 0] of 'indices' is out of range; expected 0 to 2"},
                         Bad{-1, false, "index -1 at position [1, 0] of 'indices' is out of range; expected 0 to 2"},
                         Bad{-4, true, "index -4 at position [1, 0] of 'indices' is out of range; expected -3 to 2"}}) {
    StepTest test("gather", GatherAttrs(0, "error", bad.wrap));
    test.Input(F32({3, 1}, {1, 2, 3})).Input(I32({2, 2}, {0, 1, bad.index, 99}));
    for (int width : {1, 2}) {
      const auto y = test.Run({.kernels = AvailableKernels().back(), .width = width});
      ASSERT_FALSE(y.ok());
      EXPECT_EQ(y.status().code(), absl::StatusCode::kInvalidArgument);
      EXPECT_EQ(y.status().message(), bad.message);
    }
    EXPECT_FALSE(test.Reference().ok());
  }
}

TEST(GatherStep, ErrorsWithoutOutput) {
  // A bad index is refused even if nothing would be copied.
  TestData data;
  StepTest test("gather", GatherAttrs(0, "error", false));
  test.Input(data.Uniform({3, 0})).Input(I32({1}, {5}));
  EXPECT_FALSE(test.Run({.kernels = AvailableKernels().back()}).ok());
}

TEST(GatherStep, ReadsRowsThroughViews) {
  TestData data;
  StepTest test("gather", GatherAttrs(0, "error", false));
  test.Input(data.Uniform({5, 3})).Input(I32({1}, {4}));
  EXPECT_TRUE(test.ReadsInPlace(0, Layout::kGaps));
  EXPECT_FALSE(test.ReadsInPlace(0, Layout::kStepped));
}

struct ElementsCase {
  Shape data, indices;
  int64_t axis;
};

TEST(GatherElementsStep, EveryModeAxisAndLayout) {
  TestData data;
  for (const ElementsCase& c : std::vector<ElementsCase>{{{5}, {7}, 0},
                                                         {{5, 3}, {4, 3}, 0},
                                                         {{5, 3}, {5, 4}, 1},
                                                         {{5, 3}, {2, 4}, 1},
                                                         {{4, 5, 3}, {2, 7, 3}, 1},
                                                         {{2, 3, 4, 5}, {2, 2, 4, 5}, 1},
                                                         {{5, 0}, {4, 0}, 0},
                                                         {{5, 3}, {0, 3}, 0},
                                                         {{300, 70}, {1000, 70}, 0},
                                                         {{3, 300}, {3, 70000}, 1}}) {
    const auto size = static_cast<int32_t>(c.data.dim(static_cast<int>(c.axis)));
    SCOPED_TRACE(ToString(c.data) + ToString(c.indices) + " axis " + std::to_string(c.axis));
    for (bool wrap : {false, true}) {
      StepTest("gather_elements", GatherAttrs(c.axis, "error", wrap))
          .Input(data.Specials(c.data))
          .Input(data.Integers(c.indices, wrap ? -size : 0, size - 1))
          .Check(kExact);
      for (const char* mode : {"clamp", "fill"}) {
        StepTest("gather_elements", GatherAttrs(c.axis, mode, wrap))
            .Constant(data.Integers(c.data, -99, 99))
            .Input(data.Integers(c.indices, -2 * size, 2 * size))
            .Check(kExact);
      }
    }
  }
}

TEST(GatherElementsStep, NamesTheFirstIndexOutOfRange) {
  StepTest test("gather_elements", GatherAttrs(1, "error", false));
  test.Input(F32({2, 2}, {1, 2, 3, 4})).Input(I32({2, 3}, {0, 1, 0, 1, 7, -9}));
  for (int width : {1, 2}) {
    const auto y = test.Run({.kernels = AvailableKernels().back(), .width = width});
    ASSERT_FALSE(y.ok());
    EXPECT_EQ(y.status().message(), "index 7 at position [1, 1] of 'indices' is out of range; expected 0 to 1");
  }
}

TEST(GatherElementsStep, ReadsEveryLayout) {
  TestData data;
  StepTest test("gather_elements", GatherAttrs(0, "error", false));
  test.Input(data.Uniform({5, 3})).Input(I32({1, 3}, {4, 0, 2}));
  for (const Layout layout : {Layout::kGaps, Layout::kTransposed, Layout::kStepped, Layout::kFlipped}) {
    EXPECT_TRUE(test.ReadsInPlace(0, layout));
    EXPECT_TRUE(test.ReadsInPlace(1, layout));
  }
}

TEST(ScatterAddStep, EveryModeAxisAndLayout) {
  TestData data;
  for (const ElementsCase& c : std::vector<ElementsCase>{{{5}, {9}, 0},
                                                         {{5, 3}, {8, 3}, 0},
                                                         {{5, 3}, {2, 7}, 1},
                                                         {{4, 5, 3}, {2, 9, 2}, 1},
                                                         {{2, 3, 4, 5}, {2, 6, 3, 5}, 1},
                                                         {{5, 0}, {4, 0}, 0},
                                                         {{5, 3}, {0, 3}, 0},
                                                         {{30, 70}, {5000, 70}, 0},
                                                         {{300, 20}, {300, 900}, 1}}) {
    const auto size = static_cast<int32_t>(c.data.dim(static_cast<int>(c.axis)));
    SCOPED_TRACE(ToString(c.data) + ToString(c.indices) + " axis " + std::to_string(c.axis));
    StepTest("scatter_add", GatherAttrs(c.axis, "error", true))
        .Input(data.Specials(c.data))
        .Input(data.Integers(c.indices, -size, size - 1))
        .Input(data.Uniform(c.indices))
        .Check(kExact);
    for (const char* mode : {"clamp", "drop"}) {
      StepTest("scatter_add", GatherAttrs(c.axis, mode, false))
          .Constant(data.Integers(c.data, -99, 99))
          .Input(data.Integers(c.indices, -2 * size, 2 * size))
          .Input(data.Integers(c.indices, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()))
          .Check(kExact);
    }
  }
}

// One index for a whole row, as graph nets have it: a column of indices, repeated.
TEST(ScatterAddStep, RowsByOneIndexEach) {
  TestData data;
  Tensor indices = I32({4, 3}, {1, 1, 1, 0, 0, 0, 1, 1, 1, 5, 5, 5});
  StepTest("scatter_add", GatherAttrs(0, "drop", false))
      .Input(data.Uniform({2, 3}))
      .Input(std::move(indices))
      .Input(data.Uniform({4, 3}))
      .Check(kExact);
}

TEST(ScatterAddStep, NamesTheFirstIndexOutOfRange) {
  StepTest test("scatter_add", GatherAttrs(0, "error", false));
  test.Input(F32({2, 2}, {1, 2, 3, 4})).Input(I32({3, 2}, {0, 1, 0, -7, 9, 1})).Input(F32({3, 2}, {1, 2, 3, 4, 5, 6}));
  for (int width : {1, 2}) {
    const auto y = test.Run({.kernels = AvailableKernels().back(), .width = width});
    ASSERT_FALSE(y.ok());
    EXPECT_EQ(y.status().message(), "index -7 at position [1, 1] of 'indices' is out of range; expected 0 to 1");
  }
}

}  // namespace
}  // namespace rml
