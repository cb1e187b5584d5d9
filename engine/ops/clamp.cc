#include "engine/ops/clamp.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/float_attr.h"
#include "engine/ops/reference_loops.h"

namespace rml {
namespace {

absl::Status CheckBound(const OpAttrs& attrs, const char* name, DType dtype) {
  if (!attrs.Has(name) || dtype == DType::kF32) return absl::OkStatus();
  const double bound = attrs.Float(name);
  if (std::trunc(bound) == bound && bound >= INT32_MIN && bound <= INT32_MAX) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("attribute '%s' is %g; expected a whole number in the range of i32", name, bound));
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferClamp(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  if (!attrs.Has("min") && !attrs.Has("max")) {
    return absl::InvalidArgumentError("attributes 'min' and 'max' are both missing; expected at least one");
  }
  RETURN_IF_ERROR(CheckBound(attrs, "min", inputs[0].dtype));
  RETURN_IF_ERROR(CheckBound(attrs, "max", inputs[0].dtype));
  return std::vector<TensorType>{inputs[0]};
}

absl::Status ReferenceClamp(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                            absl::Span<Tensor> outputs) {
  if (inputs[0].dtype == DType::kI32) {
    const int32_t lo = attrs.Has("min") ? static_cast<int32_t>(attrs.Float("min")) : INT32_MIN;
    const int32_t hi = attrs.Has("max") ? static_cast<int32_t>(attrs.Float("max")) : INT32_MAX;
    absl::Span<int32_t> y = outputs[0].data<int32_t>();
    for (size_t i = 0; i < y.size(); ++i) y[i] = std::min(std::max(I32(inputs[0])[i], lo), hi);
    return absl::OkStatus();
  }
  absl::Span<float> y = outputs[0].data<float>();
  for (size_t i = 0; i < y.size(); ++i) {
    float v = F32(inputs[0])[i];
    if (attrs.Has("min") && v < FloatAttr(attrs.Float("min"))) v = FloatAttr(attrs.Float("min"));
    if (attrs.Has("max") && v > FloatAttr(attrs.Float("max"))) v = FloatAttr(attrs.Float("max"));
    y[i] = v;
  }
  return absl::OkStatus();
}

}  // namespace rml
