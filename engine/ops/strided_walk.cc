#include "engine/ops/strided_walk.h"

namespace rml {

Strides BroadcastStrides(const View& view, const Shape& output) {
  Strides strides{};
  const int lead = output.rank() - view.shape.rank();
  for (int i = lead; i < output.rank(); ++i) {
    const bool repeats = view.shape.dim(i - lead) == 1;
    strides[i] = repeats ? 0 : view.strides[i - lead];
  }
  return strides;
}

StridedWalk::StridedWalk(const Shape& shape, absl::Span<const Strides> operands, WalkUnit unit)
    : operands_(static_cast<int>(operands.size())) {
  rows_ = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t dim = shape.dim(axis);
    if (dim == 1) continue;
    const int last = rank_ - 1;
    bool merges = last >= 0;
    for (int k = 0; merges && k < operands_; ++k) merges = strides_[last][k] == operands[k][axis] * dim;
    const int target = merges ? last : rank_++;
    dims_[target] = merges ? dims_[target] * dim : dim;
    for (int k = 0; k < operands_; ++k) strides_[target][k] = operands[k][axis];
  }
  inner_ = 1;
  inner_strides_.fill(1);
  if (unit == WalkUnit::kRun && rank_ > 0) {
    --rank_;
    inner_ = dims_[rank_];
    inner_strides_ = strides_[rank_];
  }
  for (int axis = 0; axis < rank_; ++axis) rows_ *= dims_[axis];
  if (inner_ == 0) rows_ = 0;
}

StridedWalk::Cursor StridedWalk::At(int64_t row) const {
  Cursor cursor;
  for (int axis = rank_ - 1; axis >= 0; --axis) {
    cursor.index[axis] = row % dims_[axis];
    row /= dims_[axis];
    for (int k = 0; k < operands_; ++k) cursor.offsets[k] += cursor.index[axis] * strides_[axis][k];
  }
  return cursor;
}

void StridedWalk::Next(Cursor& cursor) const {
  for (int axis = rank_ - 1; axis >= 0; --axis) {
    for (int k = 0; k < operands_; ++k) cursor.offsets[k] += strides_[axis][k];
    if (++cursor.index[axis] < dims_[axis]) return;
    for (int k = 0; k < operands_; ++k) cursor.offsets[k] -= dims_[axis] * strides_[axis][k];
    cursor.index[axis] = 0;
  }
}

}  // namespace rml
