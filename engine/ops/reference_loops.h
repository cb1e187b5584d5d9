// Index arithmetic for the reference implementations: clear before fast.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/base/tensor.h"

namespace rml {

using Index = std::array<int64_t, kMaxRank>;

// Calls body(index) for every index of the shape in row-major order.
template <typename Body>
void ForEachIndex(const Shape& shape, Body body) {
  Index index{};
  for (int64_t left = shape.num_elements(); left > 0; --left) {
    body(index);
    for (int d = shape.rank() - 1; d >= 0 && ++index[d] == shape.dim(d); --d) index[d] = 0;
  }
}

// The row-major position of an index in a contiguous tensor.
inline int64_t OffsetOf(const Shape& shape, const Index& index) {
  int64_t offset = 0;
  for (int d = 0; d < shape.rank(); ++d) offset = offset * shape.dim(d) + index[d];
  return offset;
}

// The position in an operand of `shape` that broadcasts to rank `rank`, for an index of the result.
inline int64_t BroadcastOffset(const Shape& shape, const Index& index, int rank) {
  int64_t offset = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t i = shape.dim(d) == 1 ? 0 : index[d + rank - shape.rank()];
    offset = offset * shape.dim(d) + i;
  }
  return offset;
}

// A subnormal number counts as a zero of its sign, which the bit tricks of libm's floor and fmod do not know.
inline float Flushed(float v) { return std::fabs(v) < std::numeric_limits<float>::min() ? std::copysign(0.0f, v) : v; }

inline const float* F32(const ConstTensorView& tensor) { return static_cast<const float*>(tensor.data); }
inline const int32_t* I32(const ConstTensorView& tensor) { return static_cast<const int32_t*>(tensor.data); }

}  // namespace rml
