#include "client/cpp/tensor_message.h"

#include <cstdint>
#include <cstring>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"

namespace rml {
namespace {

absl::Status Wrong(const v1::Tensor& message, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrFormat("tensor '%s': %s", message.name(), what));
}

}  // namespace

void ToMessage(const std::string& name, const ConstTensorView& tensor, v1::Tensor& message) {
  message.set_name(name);
  message.set_dtype(tensor.dtype == DType::kF32 ? v1::F32 : v1::I32);
  for (const int64_t dim : tensor.shape.dims()) message.add_shape(dim);
  message.set_raw(tensor.data, static_cast<size_t>(tensor.shape.num_bytes()));
}

absl::StatusOr<Tensor> FromMessage(const v1::Tensor& message) {
  if (message.dtype() != v1::F32 && message.dtype() != v1::I32) {
    return Wrong(message, absl::StrFormat("type number %d; expected F32 or I32", static_cast<int>(message.dtype())));
  }
  if (message.shape_size() > kMaxRank) {
    return Wrong(message, absl::StrFormat("rank %d; expected at most %d", message.shape_size(), kMaxRank));
  }
  const absl::Span<const int64_t> dims(message.shape().data(), static_cast<size_t>(message.shape_size()));
  const absl::StatusOr<int64_t> count = CheckedNumElements(dims);
  if (!count.ok()) return Wrong(message, std::string(count.status().message()));
  const bool floats = message.dtype() == v1::F32;
  const int64_t listed = floats ? message.f32_size() : message.i32_size();
  const int64_t given_bytes = listed > 0 ? listed * kElementBytes : static_cast<int64_t>(message.raw().size());
  const Shape shape(dims);
  if (given_bytes != shape.num_bytes()) {  // before anything is allocated
    return Wrong(message, absl::StrFormat("%d bytes of elements; shape %s needs %d", given_bytes, ToString(shape),
                                          shape.num_bytes()));
  }
  Tensor tensor(floats ? DType::kF32 : DType::kI32, shape);
  const void* elements = listed == 0 ? static_cast<const void*>(message.raw().data())
                         : floats    ? static_cast<const void*>(message.f32().data())
                                     : static_cast<const void*>(message.i32().data());
  if (given_bytes > 0) std::memcpy(tensor.raw(), elements, static_cast<size_t>(given_bytes));
  return tensor;
}

}  // namespace rml
