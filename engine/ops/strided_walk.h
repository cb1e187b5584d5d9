// A loop nest over operands of one shape that each have their own strides, with axes merged where all of them allow it.
#pragma once

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "engine/ops/step.h"

namespace rml {

// Strides with which `view` is read as if it had shape `output` (NumPy broadcasting): 0 along axes that it repeats.
// Requires that the view broadcasts to `output`.
Strides BroadcastStrides(const View& view, const Shape& output);

// rows() x inner() elements in row-major order of the shape: inner() elements along the innermost merged axis, or, with
// WalkUnit::kElement, one at a time. Immutable, copies are cheap.
//
//   StridedWalk walk(shape, strides);
//   auto at = walk.At(begin);
//   for (int64_t row = begin; row < end; ++row, walk.Next(at)) {
//     // inner() elements of operand k start at at.offsets[k], walk.inner_stride(k) apart
//   }
enum class WalkUnit : uint8_t { kRun, kElement };

class StridedWalk {
 public:
  static constexpr int kMaxOperands = 4;

  StridedWalk() = default;
  // At most kMaxOperands strides. An axis of one element has stride 1 in every operand.
  StridedWalk(const Shape& shape, absl::Span<const Strides> operands, WalkUnit unit = WalkUnit::kRun);

  int64_t rows() const { return rows_; }    // 0 if the shape is empty
  int64_t inner() const { return inner_; }  // of the innermost merged axis
  int64_t inner_stride(int operand) const { return inner_strides_[operand]; }

  struct Cursor {
    std::array<int64_t, kMaxRank> index{};  // on the outer axes
    std::array<int64_t, kMaxOperands> offsets{};
  };
  Cursor At(int64_t row) const;
  void Next(Cursor& cursor) const;

 private:
  int rank_ = 0;  // outer axes
  int operands_ = 0;
  std::array<int64_t, kMaxRank> dims_{};
  std::array<std::array<int64_t, kMaxOperands>, kMaxRank> strides_{};  // [axis][operand]
  std::array<int64_t, kMaxOperands> inner_strides_{};
  int64_t rows_ = 0;
  int64_t inner_ = 0;
};

}  // namespace rml
