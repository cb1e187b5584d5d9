#include "engine/base/tensor.h"

#include <cstring>

namespace rml {

Tensor Tensor::Copy(const ConstTensorView& source) {
  Tensor copy(source.dtype, source.shape);
  if (copy.num_elements() > 0) std::memcpy(copy.raw(), source.data, source.shape.num_bytes());
  return copy;
}

}  // namespace rml
