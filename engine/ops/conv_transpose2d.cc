#include "engine/ops/conv_transpose2d.h"

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"
#include "engine/ops/transposed_window.h"

namespace rml {
namespace {

absl::Status CheckChannels(const Shape& x, const Shape& w, int64_t groups) {
  if (groups < 1 || x.dim(1) % groups != 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'groups' is %d; expected a divisor of the input's %d channels", groups, x.dim(1)));
  }
  if (w.dim(0) == x.dim(1)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("input 'w' has shape %s; expected [%d, O / groups, KH, KW] for input 'x' of shape %s",
                      ToString(w), x.dim(1), ToString(x)));
}

// The input position that a tap meets in an output, if there is one on the stride's grid; it may lie outside the image.
bool Meets(const TransposedAxis& axis, int64_t output, int64_t tap, int64_t* input) {
  const int64_t scaled = output + axis.pad_before - tap * axis.dilation;
  *input = scaled / axis.stride;
  return scaled % axis.stride == 0;
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferConvTranspose2d(const OpAttrs& attrs,
                                                             absl::Span<const TensorType> inputs) {
  const char* const names[] = {"x", "w", "bias"};
  for (size_t i = 0; i < inputs.size(); ++i) {
    RETURN_IF_ERROR(ExpectDType(inputs[i], DType::kF32, names[i]));
    RETURN_IF_ERROR(ExpectRank(inputs[i], i == 2 ? 1 : 4, names[i]));
  }
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  const int64_t groups = attrs.Int("groups");
  RETURN_IF_ERROR(CheckChannels(x, w, groups));
  ASSIGN_OR_RETURN(const TransposedWindow window, MakeTransposedWindow(attrs, x.dim(2), x.dim(3), w.dim(2), w.dim(3)));
  // The dims of `w` are those of a tensor that exists; groups is not, if there are no channels.
  int64_t channels = 0;
  if (__builtin_mul_overflow(w.dim(1), groups, &channels)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'groups' is %d; that many times %d output channels do "
                        "not fit",
                        groups, w.dim(1)));
  }
  if (inputs.size() > 2 && inputs[2].shape.dim(0) != channels) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "input 'bias' has shape %s; expected [%d], one per output channel", ToString(inputs[2].shape), channels));
  }
  return std::vector<TensorType>{{DType::kF32, Shape{x.dim(0), channels, window.h.output, window.w.output}}};
}

absl::Status ReferenceConvTranspose2d(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                      absl::Span<Tensor> outputs) {
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  const TransposedWindow window = *MakeTransposedWindow(attrs, x.dim(2), x.dim(3), w.dim(2), w.dim(3));
  const int64_t in_per_group = x.dim(1) / attrs.Int("groups");
  size_t o = 0;
  ForEachIndex(outputs[0].shape(), [&](const Index& y) {
    const int64_t group = y[1] / w.dim(1);
    double sum = 0;
    int64_t ih = 0, iw = 0;
    for (int64_t kh = 0; kh < w.dim(2); ++kh) {
      if (!Meets(window.h, y[2], kh, &ih)) continue;
      for (int64_t kw = 0; kw < w.dim(3); ++kw) {
        if (!Meets(window.w, y[3], kw, &iw)) continue;
        const bool outside = ih < 0 || ih >= x.dim(2) || iw < 0 || iw >= x.dim(3);
        for (int64_t c = group * in_per_group; c < (group + 1) * in_per_group; ++c) {
          // What lies outside the image is multiplied like any zero, as conv2d's padding is.
          const double value = outside ? 0.0 : F32(inputs[0])[OffsetOf(x, {y[0], c, ih, iw})];
          sum += value * F32(inputs[1])[OffsetOf(w, {c, y[1] % w.dim(1), kh, kw})];
        }
      }
    }
    if (inputs.size() > 2) sum += F32(inputs[2])[y[1]];
    outputs[0].data<float>()[o++] = static_cast<float>(sum);
  });
  return absl::OkStatus();
}

}  // namespace rml
