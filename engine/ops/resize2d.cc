#include "engine/ops/resize2d.h"

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"
#include "engine/ops/resize_axis.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferResize2d(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[0], DType::kF32, "x"));
  RETURN_IF_ERROR(ExpectRank(inputs[0], 4, "x"));
  RETURN_IF_ERROR(CheckResizeAttrs(attrs));
  const Shape& x = inputs[0].shape;
  if (x.dim(2) < 1 || x.dim(3) < 1) {
    return absl::InvalidArgumentError(
        absl::StrFormat("input 'x' has shape %s; expected images of at least one pixel", ToString(x)));
  }
  const std::vector<int64_t>& size = attrs.Ints("size");
  return std::vector<TensorType>{{DType::kF32, Shape{x.dim(0), x.dim(1), size[0], size[1]}}};
}

absl::Status ReferenceResize2d(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                               absl::Span<Tensor> outputs) {
  const Shape& x = inputs[0].shape;
  if (outputs[0].num_elements() == 0) return absl::OkStatus();
  const ResizeAxis h = MakeResizeAxis(attrs, 0, x.dim(2));
  const ResizeAxis w = MakeResizeAxis(attrs, 1, x.dim(3));
  size_t o = 0;
  ForEachIndex(outputs[0].shape(), [&](const Index& y) {
    double sum = 0;
    for (int64_t i = y[2] * h.taps; i < (y[2] + 1) * h.taps; ++i) {
      for (int64_t j = y[3] * w.taps; j < (y[3] + 1) * w.taps; ++j) {
        const double value = F32(inputs[0])[OffsetOf(x, {y[0], y[1], h.index[i], w.index[j]})];
        sum += static_cast<double>(h.weight[i]) * w.weight[j] * value;
      }
    }
    // A single tap moves the element, its sign of zero included.
    const double only = F32(inputs[0])[OffsetOf(x, {y[0], y[1], h.index[y[2] * h.taps], w.index[y[3] * w.taps]})];
    outputs[0].data<float>()[o++] = static_cast<float>(h.taps == 1 ? only : sum);
  });
  return absl::OkStatus();
}

}  // namespace rml
