#include "engine/ops/axis_columns.h"

#include <algorithm>
#include <array>

#include "engine/ops/chunks.h"

namespace rml {
namespace {

// Columns that are not adjacent are on a cache line each, maybe all in one set of the cache: no more than it has ways.
constexpr int64_t kScatteredBlock = 8;

}  // namespace

AxisColumns::AxisColumns(const View& x, const Strides& y, int axis)
    : length_(x.shape.dim(axis)), step_(x.strides[axis]) {
  Shape heads = x.shape;
  heads.set_dim(axis, 1);
  const std::array<Strides, 2> strides = {x.strides, y};
  columns_ = StridedWalk(heads, strides);
  block_ = std::clamp<int64_t>(columns_.inner(), 1, x_stride() == 1 ? kMaxBlock : kScatteredBlock);
  blocks_ = (columns_.inner() + block_ - 1) / block_;
}

void AxisColumns::ForEachBlock(const RunContext& context, absl::FunctionRef<void(const Block&)> run) const {
  ForRows(context, columns_.rows() * blocks_, RowsPerChunk(block_ * length_), [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      const auto at = columns_.At(i / blocks_);
      const int64_t first = i % blocks_ * block_;
      run({.x = at.offsets[0] + first * x_stride(),
           .y = at.offsets[1] + first * y_stride(),
           .count = std::min(block_, columns_.inner() - first)});
    }
  });
}

}  // namespace rml
