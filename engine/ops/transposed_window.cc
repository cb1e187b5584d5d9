#include "engine/ops/transposed_window.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"

namespace rml {
namespace {

absl::Status SetOutput(TransposedAxis& axis, int64_t pad_after, int64_t output_pad, const char* name) {
  constexpr int64_t kMost = int64_t{1} << 40;
  if (axis.input < 1 || axis.kernel < 1) {
    return absl::InvalidArgumentError(absl::StrFormat("the image's %s is %d and the kernel's %d; expected at least 1",
                                                      name, axis.input, axis.kernel));
  }
  // Asked by division: a product of two numbers from a file may not fit.
  if (axis.input - 1 > kMost / axis.stride || axis.kernel - 1 > kMost / axis.dilation) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the output's %s does not fit: input %d at stride %d, kernel %d at dilation %d", name,
                        axis.input, axis.stride, axis.kernel, axis.dilation));
  }
  axis.output =
      (axis.input - 1) * axis.stride + axis.dilation * (axis.kernel - 1) + 1 - axis.pad_before - pad_after + output_pad;
  if (axis.output >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("the output's %s would be %d; expected at least 1: fewer pads", name, axis.output));
}

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

absl::StatusOr<TransposedWindow> MakeTransposedWindow(const OpAttrs& attrs, int64_t height, int64_t width,
                                                      int64_t kernel_h, int64_t kernel_w) {
  const std::vector<int64_t>& strides = attrs.Ints("strides");
  const std::vector<int64_t>& pads = attrs.Ints("pads");
  const std::vector<int64_t>& dilations = attrs.Ints("dilations");
  const std::vector<int64_t>& output_pads = attrs.Ints("output_pads");
  RETURN_IF_ERROR(CheckList(strides, 2, 1, "strides"));
  RETURN_IF_ERROR(CheckList(pads, 4, 0, "pads"));
  RETURN_IF_ERROR(CheckList(dilations, 2, 1, "dilations"));
  RETURN_IF_ERROR(CheckList(output_pads, 2, 0, "output_pads"));
  TransposedWindow window;
  window.h = {height, kernel_h, strides[0], dilations[0], pads[0], 0};
  window.w = {width, kernel_w, strides[1], dilations[1], pads[1], 0};
  RETURN_IF_ERROR(SetOutput(window.h, pads[2], output_pads[0], "height"));
  RETURN_IF_ERROR(SetOutput(window.w, pads[3], output_pads[1], "width"));
  return window;
}

int64_t TapStep(const TransposedAxis& axis) { return axis.stride / std::gcd(axis.stride, axis.dilation); }

int64_t TapsOfClass(const TransposedAxis& axis, int64_t c) {
  return c >= axis.kernel ? 0 : CeilDiv(axis.kernel - c, TapStep(axis));
}

std::vector<AxisPhase> PhasesOf(const TransposedAxis& axis) {
  const int64_t classes = std::min(axis.kernel, TapStep(axis));
  std::vector<AxisPhase> phases;
  for (int64_t first = 0; first < std::min(axis.stride, axis.output); ++first) {
    AxisPhase phase{.first_output = first,
                    .outputs = CeilDiv(axis.output - first, axis.stride),
                    .input_step = -(axis.dilation / std::gcd(axis.stride, axis.dilation))};
    for (int64_t c = 0; c < classes && phase.taps == 0; ++c) {
      const int64_t meets = first + axis.pad_before - c * axis.dilation;  // input position times stride
      if (meets % axis.stride != 0) continue;
      phase.tap_class = c;
      phase.taps = TapsOfClass(axis, c);
      phase.first_input = meets / axis.stride;
    }
    phases.push_back(phase);
  }
  return phases;
}

}  // namespace rml
