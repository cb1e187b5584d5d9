#include "engine/ops/layer_norm.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "engine/base/list_text.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {
namespace {

absl::Status CheckParameter(const TensorType& type, const Shape& normalized, const char* name) {
  RETURN_IF_ERROR(ExpectDType(type, DType::kF32, name));
  if (type.shape == normalized) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("input '%s' has shape %s; expected %s, the normalised axes of 'x'",
                                                    name, ToString(type.shape), ToString(normalized)));
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferLayerNorm(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[0], DType::kF32, "x"));
  const int rank = inputs[0].shape.rank();
  const std::vector<int64_t>& axes = attrs.Ints("axes");
  RETURN_IF_ERROR(CheckAxes(axes, rank, "axes"));
  Shape normalized;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != rank - static_cast<int64_t>(axes.size()) + static_cast<int64_t>(i)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "attribute 'axes' is %s; expected the last axes of a rank %d value, ascending", ListText(axes), rank));
    }
    normalized.push_back(inputs[0].shape.dim(static_cast<int>(axes[i])));
  }
  if (axes.empty()) return absl::InvalidArgumentError("attribute 'axes' is []; expected at least one axis");
  if (!(attrs.Float("eps") >= 0)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'eps' is %g; expected at least 0", attrs.Float("eps")));
  }
  if (inputs.size() > 1) RETURN_IF_ERROR(CheckParameter(inputs[1], normalized, "weight"));
  if (inputs.size() > 2) RETURN_IF_ERROR(CheckParameter(inputs[2], normalized, "bias"));
  return std::vector<TensorType>{inputs[0]};
}

absl::Status ReferenceLayerNorm(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                absl::Span<Tensor> outputs) {
  int64_t n = 1;
  for (int64_t axis : attrs.Ints("axes")) n *= inputs[0].shape.dim(static_cast<int>(axis));
  const int64_t rows = n == 0 ? 0 : outputs[0].num_elements() / n;
  for (int64_t r = 0; r < rows; ++r) {
    const float* x = F32(inputs[0]) + r * n;
    float* y = outputs[0].data<float>().data() + r * n;
    double mean = 0;
    for (int64_t i = 0; i < n; ++i) mean += x[i];
    mean /= static_cast<double>(n);
    double variance = 0;
    for (int64_t i = 0; i < n; ++i) variance += (x[i] - mean) * (x[i] - mean);
    variance /= static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) {
      double v = (x[i] - mean) / std::sqrt(variance + attrs.Float("eps"));
      if (inputs.size() > 1) v *= F32(inputs[1])[i];
      if (inputs.size() > 2) v += F32(inputs[2])[i];
      y[i] = static_cast<float>(v);
    }
  }
  return absl::OkStatus();
}

}  // namespace rml
