#include "engine/ops/cast.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_format.h"
#include "engine/ops/reference_loops.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferCast(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  const std::optional<DType> to = ParseDType(attrs.String("to"));
  if (!to) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'to' is '%s'; expected 'f32' or 'i32'", attrs.String("to")));
  }
  return std::vector<TensorType>{{*to, inputs[0].shape}};
}

absl::Status ReferenceCast(const OpAttrs&, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs) {
  const int64_t count = outputs[0].num_elements();
  if (inputs[0].dtype == outputs[0].dtype()) {
    if (count > 0) std::memcpy(outputs[0].raw(), inputs[0].data, count * kElementBytes);
    return absl::OkStatus();
  }
  for (int64_t i = 0; i < count; ++i) {
    if (outputs[0].dtype() == DType::kF32) {
      outputs[0].data<float>()[i] = static_cast<float>(I32(inputs[0])[i]);
      continue;
    }
    const double v = F32(inputs[0])[i];
    int32_t& y = outputs[0].data<int32_t>()[i];
    if (std::isnan(v)) {
      y = 0;
    } else if (v <= INT32_MIN) {
      y = INT32_MIN;
    } else {
      y = v >= INT32_MAX ? INT32_MAX : static_cast<int32_t>(v);
    }
  }
  return absl::OkStatus();
}

}  // namespace rml
