// Windows that slide over an image: convolutions and pools.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/ops/op.h"

namespace rml {

// One spatial axis of a window. Output position o covers input positions o * stride - pad_before + k * dilation, k < kernel.
struct WindowAxis {
  int64_t input = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;
  int64_t pad_after = 0;
  int64_t output = 0;
};

struct Window {
  WindowAxis h, w;
};

// A window from an op's attributes (strides, pads top/left/bottom/right, dilations and ceil_mode where the op has them).
// Errors: wrong counts, a stride or dilation below 1, a negative pad, a kernel larger than the padded input.
// ceil_mode rounds the output up but drops a last window that would start in the right padding.
absl::StatusOr<Window> MakeWindow(const OpAttrs& attrs, int64_t height, int64_t width, int64_t kernel_h,
                                  int64_t kernel_w);

}  // namespace rml
