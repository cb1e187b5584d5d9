#include "engine/base/shape.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace rml {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(Shape, DimsFromBothEnds) {
  Shape shape{2, 3, 5};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.dim(0), 2);
  EXPECT_EQ(shape.dim(-1), 5);
  EXPECT_EQ(shape.dim(-3), 2);
  shape.set_dim(-1, 7);
  shape.push_back(0);
  EXPECT_EQ(shape, (Shape{2, 3, 7, 0}));
  EXPECT_EQ(ToString(shape), "[2, 3, 7, 0]");
}

TEST(Shape, ScalarHasOneElement) {
  EXPECT_EQ(Shape{}.rank(), 0);
  EXPECT_EQ(Shape{}.num_elements(), 1);
  EXPECT_EQ(Shape{}.num_bytes(), 4);
  EXPECT_EQ(ToString(Shape{}), "[]");
}

TEST(Shape, EqualityIsOfRankAndDims) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{2}), (Shape{2, 0}));
  Shape shrunk{4, 5};
  shrunk = Shape{4};
  EXPECT_EQ(shrunk, Shape{4});
}

TEST(CheckedNumElements, CountsOrSaysWhy) {
  const auto count = [](std::vector<int64_t> dims) { return CheckedNumElements(dims); };
  EXPECT_EQ(*count({}), 1);
  EXPECT_EQ(*count({2, 3}), 6);
  EXPECT_EQ(*count({2, 0, 3}), 0);
  EXPECT_EQ(*count({kMax / 4}), kMax / 4);
  EXPECT_EQ(count({2, -1}).status().message(), "shape [2, -1] has a negative dimension");
  EXPECT_FALSE(count({kMax / 4 + 1}).ok());
  EXPECT_FALSE(count({int64_t{1} << 32, int64_t{1} << 32}).ok()) << "wraps to zero";
  EXPECT_FALSE(count({0, kMax, kMax}).ok()) << "the other dims must still multiply";
  EXPECT_FALSE(count({kMax, kMax, 0}).ok());
  EXPECT_FALSE(count({0, -1}).ok());
  EXPECT_FALSE(count({std::numeric_limits<int64_t>::min()}).ok());
}

TEST(BroadcastShapes, AsNumPyDoes) {
  struct Case {
    Shape a, b, want;
  };
  const Case cases[] = {
      {{}, {}, {}},
      {{3}, {}, {3}},
      {{2, 3}, {3}, {2, 3}},
      {{2, 1}, {1, 3}, {2, 3}},
      {{4, 1, 5}, {2, 1}, {4, 2, 5}},
      {{0}, {1}, {0}},
      {{1, 0}, {3, 1}, {3, 0}},
      {{1, 1, 1, 1, 1, 1, 1, 1}, {2}, {1, 1, 1, 1, 1, 1, 1, 2}},
  };
  for (const Case& c : cases) {
    const std::string name = ToString(c.a) + " " + ToString(c.b);
    ASSERT_TRUE(BroadcastShapes(c.a, c.b).ok()) << name;
    EXPECT_EQ(*BroadcastShapes(c.a, c.b), c.want) << name;
    EXPECT_EQ(*BroadcastShapes(c.b, c.a), c.want) << name;
  }
}

TEST(BroadcastShapes, NamesBothShapesWhereTheyDiffer) {
  EXPECT_EQ(BroadcastShapes({2, 3}, {4, 3}).status().message(),
            "shapes [2, 3] and [4, 3] do not broadcast (2 against 4)");
  EXPECT_FALSE(BroadcastShapes({0}, {2}).ok());
}

TEST(Strides, ContiguousOnesAndWhatCountsAsSuch) {
  EXPECT_EQ(ContiguousStrides({2, 3, 5}), (Strides{15, 5, 1}));
  EXPECT_EQ(ContiguousStrides({}), Strides{});
  EXPECT_TRUE(IsContiguous({}, {}));
  EXPECT_TRUE(IsContiguous({2, 3}, {3, 1}));
  EXPECT_FALSE(IsContiguous({2, 3}, {1, 2}));
  EXPECT_FALSE(IsContiguous({2, 3}, {4, 1})) << "padded rows";
  EXPECT_FALSE(IsContiguous({2, 3}, {3, -1})) << "flipped";
  EXPECT_FALSE(IsContiguous({2, 3}, {0, 1})) << "broadcast";
  EXPECT_TRUE(IsContiguous({1, 3}, {77, 1})) << "the stride of one row does not matter";
  EXPECT_TRUE(IsContiguous({0, 3}, {5, 5})) << "nothing has no gaps";
  EXPECT_TRUE(IsContiguous({3, 0}, {5, 5}));
}

}  // namespace
}  // namespace rml
