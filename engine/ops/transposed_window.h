// The windows of a transposed convolution: which inputs and kernel taps meet in an output.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/ops/op.h"

namespace rml {

// One spatial axis. Input position i and tap k meet in output position i * stride + k * dilation - pad_before; output =
// (input - 1) * stride + dilation * (kernel - 1) + 1 - pad_before - pad_after + output_pad.
struct TransposedAxis {
  int64_t input = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;
  int64_t output = 0;
};

struct TransposedWindow {
  TransposedAxis h, w;
};

// From an op's attributes strides, pads (top, left, bottom, right), dilations and output_pads. Errors: wrong counts, a
// stride or dilation below 1, a negative pad, an empty image or kernel, an output below one element or too large.
absl::StatusOr<TransposedWindow> MakeTransposedWindow(const OpAttrs& attrs, int64_t height, int64_t width,
                                                      int64_t kernel_h, int64_t kernel_w);

// Two taps meet in the same outputs if they are a multiple of this apart: stride / gcd(stride, dilation). Taps fall into
// as many classes, class c being c, c + TapStep, ...
int64_t TapStep(const TransposedAxis& axis);
// How many of the kernel's taps are in class c.
int64_t TapsOfClass(const TransposedAxis& axis, int64_t c);

// Outputs first_output, first_output + stride, ...: they read the taps of one class, and tap number t of it meets output
// number o at input position first_input + o + t * input_step.
struct AxisPhase {
  int64_t first_output = 0;
  int64_t outputs = 0;
  int64_t tap_class = 0;
  int64_t taps = 0;  // 0: no tap reaches these outputs
  int64_t first_input = 0;
  int64_t input_step = 0;  // <= 0
};
// They cover the output, in ascending order of first_output.
std::vector<AxisPhase> PhasesOf(const TransposedAxis& axis);

}  // namespace rml
