// Concrete shapes and strides: at most eight dims held in place, so that copying one never allocates.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace rml {

inline constexpr int kMaxRank = 8;

// Dims of a tensor, row-major, outermost first. Rank 0 is a scalar; dims are >= 0 once checked by CheckedNumElements().
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims);
  // Requires dims.size() <= kMaxRank (callers check outside data first).
  explicit Shape(absl::Span<const int64_t> dims);

  int rank() const { return rank_; }
  // Dim `i`; negative counts from the end. Requires -rank() <= i < rank().
  int64_t dim(int i) const { return dims_[i < 0 ? i + rank_ : i]; }
  absl::Span<const int64_t> dims() const { return {dims_.data(), static_cast<size_t>(rank_)}; }
  void set_dim(int i, int64_t value) { dims_[i < 0 ? i + rank_ : i] = value; }
  void push_back(int64_t value) { dims_[rank_++] = value; }

  // Product of the dims, 1 for a scalar. Requires that the product fits (CheckedNumElements).
  int64_t num_elements() const;
  int64_t num_bytes() const { return 4 * num_elements(); }

  bool operator==(const Shape& other) const;

 private:
  int rank_ = 0;
  std::array<int64_t, kMaxRank> dims_{};
};

// The element count, or an error if a dim is negative or the byte size does not fit in 63 bits.
absl::StatusOr<int64_t> CheckedNumElements(absl::Span<const int64_t> dims);

// "[2, 3]".
std::string ToString(const Shape& shape);

// NumPy broadcasting of two shapes; an error names both.
absl::StatusOr<Shape> BroadcastShapes(const Shape& a, const Shape& b);

// Element strides of a view, outermost first; one entry per dim.
using Strides = std::array<int64_t, kMaxRank>;

// Strides of a contiguous row-major tensor.
Strides ContiguousStrides(const Shape& shape);

// True if elements lie row-major without gaps; strides of dims of size 1 do not matter, empty tensors are contiguous.
bool IsContiguous(const Shape& shape, const Strides& strides);

}  // namespace rml
