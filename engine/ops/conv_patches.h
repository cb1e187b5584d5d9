// The right-hand matrix of a convolution as a product: one column per output pixel, one row per (kernel tap, channel),
// made on the fly from the image.
#pragma once

#include <cstdint>

#include "engine/gemm/gemm.h"

namespace rml {

// One image of one group. Strides in elements; the elements of an image row are adjacent. Pads and dilations may be
// negative: a transposed convolution walks backwards.
struct ConvGeometry {
  int64_t channels = 0;  // of the group
  int64_t height = 0, width = 0;
  int64_t channel_stride = 0, row_stride = 0;
  int64_t kernel_h = 0, kernel_w = 0;
  int64_t stride_h = 1, stride_w = 1;
  int64_t pad_top = 0, pad_left = 0;
  int64_t dilation_h = 1, dilation_w = 1;
  int64_t out_height = 0, out_width = 0;

  int64_t K() const { return kernel_h * kernel_w * channels; }
  int64_t N() const { return out_height * out_width; }
  bool operator==(const ConvGeometry&) const = default;
};

// Writes rows [k0, k0 + kc) and columns [j0, j0 + n) of
//   P[(ky * kernel_w + kx) * channels + c, oy * out_width + ox]
//     = x[c, oy * stride_h - pad_top + ky * dilation_h, ox * stride_w - pad_left + kx * dilation_w],
// 0 outside the image.
// Requires n <= kMaxNr. Thread-safe.
void FillPatches(const ConvGeometry& geometry, const float* x, const PanelRequest& request);

}  // namespace rml
