// Tensors as the engine takes and gives them: contiguous, row-major, f32 or i32.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/buffer.h"
#include "engine/base/dtype.h"
#include "engine/base/shape.h"

namespace rml {

// Contiguous memory that somebody else owns and keeps alive for the length of a call.
struct ConstTensorView {
  DType dtype = DType::kF32;
  Shape shape;
  const void* data = nullptr;  // 4-byte aligned; 64-byte alignment is faster
};

// Owns its elements, 64-byte aligned. Move-only; Clone() copies. Thread-compatible.
class Tensor {
 public:
  Tensor() = default;
  // Zero-filled. Requires a shape that CheckedNumElements() accepts. As containers do, this, Resize() and Copy() throw
  // std::bad_alloc without memory; Zeros() is for what may be large.
  Tensor(DType dtype, const Shape& shape) { Resize(dtype, shape); }

  // Changes type and shape, reusing the buffer when it is large enough; contents are then unspecified. Elements start as
  // zeros in a new buffer only.
  void Resize(DType dtype, const Shape& shape) {
    if (shape.num_bytes() > buffer_.size_bytes()) buffer_ = Buffer(shape.num_bytes());  // first: it may throw
    dtype_ = dtype;
    shape_ = shape;
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t num_elements() const { return shape_.num_elements(); }

  template <typename T>
  absl::Span<T> data() {
    return {static_cast<T*>(buffer_.data()), static_cast<size_t>(num_elements())};
  }
  template <typename T>
  absl::Span<const T> data() const {
    return {static_cast<const T*>(buffer_.data()), static_cast<size_t>(num_elements())};
  }
  void* raw() { return buffer_.data(); }
  const void* raw() const { return buffer_.data(); }

  // For pools: gives the memory away (the tensor is then empty), or takes memory that is large enough for `shape`.
  Buffer ReleaseBuffer() {
    shape_ = Shape{0};
    return std::move(buffer_);
  }
  void Adopt(DType dtype, const Shape& shape, Buffer buffer) {
    dtype_ = dtype;
    shape_ = shape;
    buffer_ = std::move(buffer);
  }
  int64_t capacity_bytes() const { return buffer_.size_bytes(); }

  ConstTensorView view() const { return {dtype_, shape_, buffer_.data()}; }
  static Tensor Copy(const ConstTensorView& source);
  Tensor Clone() const { return Copy(view()); }
  // As the constructor, but ResourceExhausted with the size if there is no memory.
  static absl::StatusOr<Tensor> Zeros(DType dtype, const Shape& shape);

 private:
  DType dtype_ = DType::kF32;
  Shape shape_{0};
  Buffer buffer_;
};

// One view per tensor, which the caller keeps.
std::vector<ConstTensorView> Views(absl::Span<const Tensor> tensors);

}  // namespace rml
