// A tensor as columns along one axis, in blocks of neighbouring columns that are walked side by side: sums that depend
// on one another then have others between them, and memory is read a cache line at a time whichever the axis.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "engine/ops/step.h"
#include "engine/ops/strided_walk.h"

namespace rml {

class AxisColumns {
 public:
  static constexpr int64_t kMaxBlock = 64;

  AxisColumns() = default;
  // y's strides are given for x's axes; the one along `axis` is not used.
  AxisColumns(const View& x, const Strides& y, int axis);

  // Columns whose first elements are at x + c * x_stride and y + c * y_stride, c < count <= kMaxBlock.
  struct Block {
    int64_t x, y;  // offsets
    int64_t count;
  };
  int64_t length() const { return length_; }  // of a column
  int64_t step() const { return step_; }      // between the elements of a column of x
  int64_t x_stride() const { return columns_.inner_stride(0); }
  int64_t y_stride() const { return columns_.inner_stride(1); }

  // Calls run for every block, on up to context.width threads.
  void ForEachBlock(const RunContext& context, absl::FunctionRef<void(const Block&)> run) const;

 private:
  int64_t length_ = 0, step_ = 0;
  int64_t block_ = 1, blocks_ = 1;
  StridedWalk columns_;
};

}  // namespace rml
