#include "engine/ops/window.h"

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"

namespace rml {
namespace {

absl::Status SetOutput(WindowAxis& axis, bool ceil_mode, const char* name) {
  const int64_t padded = axis.input + axis.pad_before + axis.pad_after;
  // extent <= padded, asked by division: a product of two numbers from a file may not fit.
  if (axis.kernel < 1 || padded < 1 || axis.kernel - 1 > (padded - 1) / axis.dilation) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "the kernel's %s is %d with dilation %d; expected at least 1, and to fit in the padded input's %d", name,
        axis.kernel, axis.dilation, padded));
  }
  const int64_t extent = axis.dilation * (axis.kernel - 1) + 1;
  const int64_t room = padded - extent;
  axis.output = (ceil_mode ? (room + axis.stride - 1) / axis.stride : room / axis.stride) + 1;
  if (ceil_mode && (axis.output - 1) * axis.stride >= axis.input + axis.pad_before) --axis.output;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Window> MakeWindow(const OpAttrs& attrs, int64_t height, int64_t width, int64_t kernel_h,
                                  int64_t kernel_w) {
  const std::vector<int64_t>& strides = attrs.Ints("strides");
  const std::vector<int64_t>& pads = attrs.Ints("pads");
  const std::vector<int64_t> dilations = attrs.Has("dilations") ? attrs.Ints("dilations") : std::vector<int64_t>{1, 1};
  RETURN_IF_ERROR(CheckList(strides, 2, 1, "strides"));
  RETURN_IF_ERROR(CheckList(pads, 4, 0, "pads"));
  RETURN_IF_ERROR(CheckList(dilations, 2, 1, "dilations"));
  const bool ceil_mode = attrs.Has("ceil_mode") && attrs.Bool("ceil_mode");
  Window window;
  window.h = {height, kernel_h, strides[0], dilations[0], pads[0], pads[2], 0};
  window.w = {width, kernel_w, strides[1], dilations[1], pads[1], pads[3], 0};
  RETURN_IF_ERROR(SetOutput(window.h, ceil_mode, "height"));
  RETURN_IF_ERROR(SetOutput(window.w, ceil_mode, "width"));
  return window;
}

}  // namespace rml
