#include "engine/ops/gelu.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferGelu(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[0], DType::kF32, "x"));
  const std::string& approximate = attrs.String("approximate");
  if (approximate != "none" && approximate != "tanh") {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'approximate' is '%s'; expected 'none' or 'tanh'", approximate));
  }
  return std::vector<TensorType>{inputs[0]};
}

absl::Status ReferenceGelu(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs) {
  const bool by_tanh = attrs.String("approximate") == "tanh";
  const float* x = F32(inputs[0]);
  absl::Span<float> y = outputs[0].data<float>();
  for (size_t i = 0; i < y.size(); ++i) {
    const double v = x[i];
    // erfc keeps the tail: 1 + erf(v) cancels for v below -4. So does the logistic form of 1 + tanh.
    const double inner = std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v);
    const double half = by_tanh ? 1 / (1 + std::exp(-2 * inner)) : 0.5 * std::erfc(-v / std::sqrt(2.0));
    y[i] = static_cast<float>(v * half);
  }
  return absl::OkStatus();
}

}  // namespace rml
