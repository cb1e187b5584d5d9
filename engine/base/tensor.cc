#include "engine/base/tensor.h"

#include <cstring>
#include <utility>

#include "engine/base/status_macros.h"

namespace rml {

absl::StatusOr<Tensor> Tensor::Zeros(DType dtype, const Shape& shape) {
  ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(shape.num_bytes()));
  Tensor tensor;
  tensor.Adopt(dtype, shape, std::move(buffer));
  return tensor;
}

Tensor Tensor::Copy(const ConstTensorView& source) {
  Tensor copy(source.dtype, source.shape);
  if (copy.num_elements() > 0) std::memcpy(copy.raw(), source.data, source.shape.num_bytes());
  return copy;
}

std::vector<ConstTensorView> Views(absl::Span<const Tensor> tensors) {
  std::vector<ConstTensorView> views;
  views.reserve(tensors.size());
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  return views;
}

}  // namespace rml
