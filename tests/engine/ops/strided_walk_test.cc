#include "engine/ops/strided_walk.h"

#include <gtest/gtest.h>

#include <vector>

namespace rml {
namespace {

struct Case {
  const char* name;
  Shape shape;
  Strides a, b;
  WalkUnit unit;
  int64_t rows, inner;
};

std::vector<Case> Cases() {
  return {{"scalar", {}, {}, {}, WalkUnit::kRun, 1, 1},
          {"dense", {2, 3, 4}, {12, 4, 1}, {12, 4, 1}, WalkUnit::kRun, 1, 24},
          {"dense, one at a time", {2, 3, 4}, {12, 4, 1}, {12, 4, 1}, WalkUnit::kElement, 24, 1},
          {"one operand with gaps", {2, 3, 4}, {12, 4, 1}, {21, 7, 1}, WalkUnit::kRun, 6, 4},
          {"a repeated row", {2, 3, 4}, {12, 4, 1}, {0, 0, 1}, WalkUnit::kRun, 6, 4},
          {"a value per row", {2, 3, 4}, {12, 4, 1}, {3, 1, 0}, WalkUnit::kRun, 6, 4},
          {"a repeated element", {2, 3, 4}, {12, 4, 1}, {0, 0, 0}, WalkUnit::kRun, 1, 24},
          {"axes of one", {1, 3, 1}, {9, 1, 9}, {7, 1, 7}, WalkUnit::kRun, 1, 3},
          {"empty", {2, 0, 4}, {0, 4, 1}, {0, 4, 1}, WalkUnit::kRun, 0, 0},
          {"backwards", {3, 2}, {-2, -1}, {2, 1}, WalkUnit::kRun, 1, 6},
          {"transposed", {3, 2}, {1, 3}, {2, 1}, WalkUnit::kRun, 3, 2}};
}

// Offsets of an operand's elements in row-major order, by definition.
std::vector<int64_t> Expected(const Shape& shape, const Strides& strides) {
  std::vector<int64_t> offsets;
  for (int64_t e = 0; e < shape.num_elements(); ++e) {
    int64_t rest = e, offset = 0;
    for (int i = shape.rank() - 1; i >= 0; --i) {
      offset += rest % shape.dim(i) * strides[i];
      rest /= shape.dim(i);
    }
    offsets.push_back(offset);
  }
  return offsets;
}

std::vector<int64_t> Walked(const StridedWalk& walk, int operand, int64_t begin) {
  std::vector<int64_t> offsets;
  if (walk.rows() == 0) return offsets;
  auto at = walk.At(begin);
  for (int64_t row = begin; row < walk.rows(); ++row, walk.Next(at)) {
    for (int64_t i = 0; i < walk.inner(); ++i) offsets.push_back(at.offsets[operand] + i * walk.inner_stride(operand));
  }
  return offsets;
}

TEST(StridedWalk, VisitsEveryElementInOrder) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    const std::vector<Strides> strides = {c.a, c.b};
    const StridedWalk walk(c.shape, strides, c.unit);
    EXPECT_EQ(walk.rows(), c.rows);
    EXPECT_EQ(walk.rows() * walk.inner(), c.rows * c.inner);
    for (int operand : {0, 1}) {
      const std::vector<int64_t> expected = Expected(c.shape, strides[operand]);
      EXPECT_EQ(Walked(walk, operand, 0), expected);
      const int64_t middle = walk.rows() / 2;
      const std::vector<int64_t> rest(expected.begin() + middle * walk.inner(), expected.end());
      EXPECT_EQ(Walked(walk, operand, middle), rest);
    }
  }
}

TEST(StridedWalk, BroadcastStridesRepeatAxesOfOne) {
  const View view{DType::kF32, {3, 1}, {5, 1}, 0};
  const Strides strides = BroadcastStrides(view, {2, 3, 4});
  EXPECT_EQ(strides[0], 0);
  EXPECT_EQ(strides[1], 5);
  EXPECT_EQ(strides[2], 0);
}

}  // namespace
}  // namespace rml
