#include "engine/ops/index_rule.h"

#include <string>

#include "absl/strings/str_format.h"

namespace rml {

IndexRule::IndexRule(const OpAttrs& attrs, int64_t size) : wraps_(attrs.Bool("wrap")), size_(size) {
  const std::string& mode = attrs.String("mode");
  mode_ = mode == "error" ? Mode::kError : mode == "clamp" ? Mode::kClamp : Mode::kSkip;
}

absl::Status IndexRule::Check(const Shape& shape, const Strides& strides, const int32_t* indices) const {
  if (!refuses()) return absl::OkStatus();
  const int last = shape.rank() - 1;
  const int64_t n = last < 0 ? 1 : shape.dim(last);
  const int64_t stride = last < 0 ? 1 : strides[last];
  Shape at = shape;
  for (int d = 0; d <= last; ++d) at.set_dim(d, 0);
  for (int64_t left = shape.num_elements(); left > 0; left -= n) {
    const int32_t* row = indices;
    for (int d = 0; d < last; ++d) row += at.dim(d) * strides[d];
    for (int64_t i = 0; i < n; ++i) {
      if (Position(row[i * stride]) >= 0) continue;
      if (last >= 0) at.set_dim(last, i);
      return absl::InvalidArgumentError(
          absl::StrFormat("index %d at position %s of 'indices' is out of range; expected %d to %d", row[i * stride],
                          ToString(at), wraps_ ? -size_ : 0, size_ - 1));
    }
    for (int d = last - 1; d >= 0; --d) {
      at.set_dim(d, at.dim(d) + 1);
      if (at.dim(d) < shape.dim(d)) break;
      at.set_dim(d, 0);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckIndexMode(const OpAttrs& attrs, const Shape& data, const Shape& indices, std::string_view third) {
  const std::string& mode = attrs.String("mode");
  if (mode != "error" && mode != "clamp" && mode != third) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'mode' is '%s'; expected 'error', 'clamp' or '%s'", mode, std::string(third)));
  }
  const bool empty = data.dim(static_cast<int>(attrs.Int("axis"))) == 0;
  if (mode == "clamp" && empty && indices.num_elements() > 0) {
    return absl::InvalidArgumentError(
        "attribute 'mode' is 'clamp' but 'data' is empty along the axis: nothing to clamp to");
  }
  return absl::OkStatus();
}

absl::Status CheckElementIndices(const OpAttrs& attrs, const Shape& data, const Shape& indices) {
  const auto axis = static_cast<int>(attrs.Int("axis"));
  bool fits = indices.rank() == data.rank();
  for (int d = 0; fits && d < data.rank(); ++d) fits = d == axis || indices.dim(d) <= data.dim(d);
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "input 'indices' has shape %s; expected rank %d and, but for axis %d, at most the dims of 'data', %s",
      ToString(indices), data.rank(), axis, ToString(data)));
}

}  // namespace rml
