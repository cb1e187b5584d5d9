#include "engine/ops/conv2d.h"

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"
#include "engine/ops/window.h"

namespace rml {
namespace {

absl::Status CheckChannels(const Shape& x, const Shape& w, int64_t groups) {
  if (groups < 1 || x.dim(1) % groups != 0 || w.dim(0) % groups != 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'groups' is %d; expected a divisor of the input's %d channels and the output's %d",
                        groups, x.dim(1), w.dim(0)));
  }
  if (w.dim(1) == x.dim(1) / groups) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("input 'w' has shape %s; expected [O, %d, KH, KW] for %d groups and input 'x' of shape %s",
                      ToString(w), x.dim(1) / groups, groups, ToString(x)));
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferConv2d(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  const char* const names[] = {"x", "w", "bias"};
  for (size_t i = 0; i < inputs.size(); ++i) {
    RETURN_IF_ERROR(ExpectDType(inputs[i], DType::kF32, names[i]));
    RETURN_IF_ERROR(ExpectRank(inputs[i], i == 2 ? 1 : 4, names[i]));
  }
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  RETURN_IF_ERROR(CheckChannels(x, w, attrs.Int("groups")));
  if (inputs.size() > 2 && inputs[2].shape.dim(0) != w.dim(0)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "input 'bias' has shape %s; expected [%d], one per output channel", ToString(inputs[2].shape), w.dim(0)));
  }
  ASSIGN_OR_RETURN(const Window window, MakeWindow(attrs, x.dim(2), x.dim(3), w.dim(2), w.dim(3)));
  return std::vector<TensorType>{{DType::kF32, Shape{x.dim(0), w.dim(0), window.h.output, window.w.output}}};
}

absl::Status ReferenceConv2d(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                             absl::Span<Tensor> outputs) {
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  const Window window = *MakeWindow(attrs, x.dim(2), x.dim(3), w.dim(2), w.dim(3));
  const int64_t in_per_group = w.dim(1);
  const int64_t out_per_group = w.dim(0) / attrs.Int("groups");
  size_t o = 0;
  ForEachIndex(outputs[0].shape(), [&](const Index& y) {
    double sum = 0;
    for (int64_t kh = 0; kh < w.dim(2); ++kh) {
      for (int64_t kw = 0; kw < w.dim(3); ++kw) {
        const int64_t ih = y[2] * window.h.stride - window.h.pad_before + kh * window.h.dilation;
        const int64_t iw = y[3] * window.w.stride - window.w.pad_before + kw * window.w.dilation;
        const bool padded = ih < 0 || ih >= x.dim(2) || iw < 0 || iw >= x.dim(3);
        for (int64_t c = 0; c < in_per_group; ++c) {
          const int64_t channel = y[1] / out_per_group * in_per_group + c;
          // Padding is multiplied like any zero: an infinite weight over it gives NaN, as in the frameworks.
          const double value = padded ? 0.0 : F32(inputs[0])[OffsetOf(x, {y[0], channel, ih, iw})];
          sum += value * F32(inputs[1])[OffsetOf(w, {y[1], c, kh, kw})];
        }
      }
    }
    if (inputs.size() > 2) sum += F32(inputs[2])[y[1]];
    outputs[0].data<float>()[o++] = static_cast<float>(sum);
  });
  return absl::OkStatus();
}

}  // namespace rml
