#include "engine/ops/pool2d.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"
#include "engine/ops/window.h"

namespace rml {
namespace {

absl::StatusOr<std::vector<TensorType>> InferPool(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[0], DType::kF32, "x"));
  RETURN_IF_ERROR(ExpectRank(inputs[0], 4, "x"));
  const Shape& x = inputs[0].shape;
  const std::vector<int64_t>& kernel = attrs.Ints("kernel");
  RETURN_IF_ERROR(CheckList(kernel, 2, 1, "kernel"));
  ASSIGN_OR_RETURN(const Window window, MakeWindow(attrs, x.dim(2), x.dim(3), kernel[0], kernel[1]));
  for (const WindowAxis& axis : {window.h, window.w}) {
    const int64_t extent = (axis.kernel - 1) * axis.dilation + 1;
    if (axis.pad_before >= extent || axis.pad_after >= extent) {
      return absl::InvalidArgumentError(
          absl::StrFormat("attribute 'pads' has %d and %d on an axis; expected less than the kernel's %d, so that no "
                          "window lies in padding",
                          axis.pad_before, axis.pad_after, extent));
    }
  }
  return std::vector<TensorType>{{DType::kF32, Shape{x.dim(0), x.dim(1), window.h.output, window.w.output}}};
}

// Calls window(n, c, first_h, first_w) for each output in order and stores what it returns.
template <typename F>
void ForEachWindow(const Window& window, Tensor& output, F value) {
  size_t o = 0;
  ForEachIndex(output.shape(), [&](const Index& y) {
    const int64_t h = y[2] * window.h.stride - window.h.pad_before;
    const int64_t w = y[3] * window.w.stride - window.w.pad_before;
    output.data<float>()[o++] = value(y[0], y[1], h, w);
  });
}

Window WindowOf(const OpAttrs& attrs, const Shape& x) {
  const std::vector<int64_t>& kernel = attrs.Ints("kernel");
  return *MakeWindow(attrs, x.dim(2), x.dim(3), kernel[0], kernel[1]);
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferMaxPool2d(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  return InferPool(attrs, inputs);
}

absl::StatusOr<std::vector<TensorType>> InferAvgPool2d(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  return InferPool(attrs, inputs);
}

absl::Status ReferenceMaxPool2d(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                absl::Span<Tensor> outputs) {
  const Shape& x = inputs[0].shape;
  const Window window = WindowOf(attrs, x);
  ForEachWindow(window, outputs[0], [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    float max = -std::numeric_limits<float>::infinity();
    for (int64_t kh = 0; kh < window.h.kernel; ++kh) {
      for (int64_t kw = 0; kw < window.w.kernel; ++kw) {
        const int64_t ih = h + kh * window.h.dilation;
        const int64_t iw = w + kw * window.w.dilation;
        if (ih < 0 || ih >= x.dim(2) || iw < 0 || iw >= x.dim(3)) continue;
        const float v = F32(inputs[0])[OffsetOf(x, {n, c, ih, iw})];
        if (std::isnan(v) || v > max) max = v;
        if (std::isnan(max)) return max;
      }
    }
    return max;
  });
  return absl::OkStatus();
}

absl::Status ReferenceAvgPool2d(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                absl::Span<Tensor> outputs) {
  const Shape& x = inputs[0].shape;
  const Window window = WindowOf(attrs, x);
  const bool include_pad = attrs.Bool("count_include_pad");
  ForEachWindow(window, outputs[0], [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    // The divisor counts positions in the padded input, never past it, or in the input itself.
    const int64_t h_end = std::min(h + window.h.kernel, x.dim(2) + window.h.pad_after);
    const int64_t w_end = std::min(w + window.w.kernel, x.dim(3) + window.w.pad_after);
    const int64_t h0 = std::max<int64_t>(h, 0), h1 = std::min(h_end, x.dim(2));
    const int64_t w0 = std::max<int64_t>(w, 0), w1 = std::min(w_end, x.dim(3));
    const int64_t divisor = include_pad ? (h_end - h) * (w_end - w) : (h1 - h0) * (w1 - w0);
    double sum = 0;
    for (int64_t ih = h0; ih < h1; ++ih) {
      for (int64_t iw = w0; iw < w1; ++iw) sum += F32(inputs[0])[OffsetOf(x, {n, c, ih, iw})];
    }
    return static_cast<float>(sum / static_cast<double>(divisor));
  });
  return absl::OkStatus();
}

}  // namespace rml
