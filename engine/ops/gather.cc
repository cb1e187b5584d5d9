#include "engine/ops/gather.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferGather(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[1], DType::kI32, "indices"));
  const Shape& data = inputs[0].shape;
  const Shape& indices = inputs[1].shape;
  RETURN_IF_ERROR(CheckAxis(attrs.Int("axis"), data.rank(), "axis"));
  const std::string& mode = attrs.String("mode");
  if (mode != "error" && mode != "clamp" && mode != "fill") {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'mode' is '%s'; expected 'error', 'clamp' or 'fill'", mode));
  }
  if (data.rank() - 1 + indices.rank() > kMaxRank) {
    return absl::InvalidArgumentError(absl::StrFormat("the result would have rank %d; expected at most %d",
                                                      data.rank() - 1 + indices.rank(), kMaxRank));
  }
  const int axis = static_cast<int>(attrs.Int("axis"));
  if (mode == "clamp" && data.dim(axis) == 0 && indices.num_elements() > 0) {
    return absl::InvalidArgumentError(
        "attribute 'mode' is 'clamp' but 'data' is empty along the axis: nothing to clamp to");
  }
  Shape shape;
  for (int d = 0; d < axis; ++d) shape.push_back(data.dim(d));
  for (int d = 0; d < indices.rank(); ++d) shape.push_back(indices.dim(d));
  for (int d = axis + 1; d < data.rank(); ++d) shape.push_back(data.dim(d));
  return std::vector<TensorType>{{inputs[0].dtype, shape}};
}

absl::Status ReferenceGather(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                             absl::Span<Tensor> outputs) {
  const Shape& data = inputs[0].shape;
  const int axis = static_cast<int>(attrs.Int("axis"));
  const int64_t size = data.dim(axis);
  int64_t outer = 1, inner = 1;
  for (int d = 0; d < axis; ++d) outer *= data.dim(d);
  for (int d = axis + 1; d < data.rank(); ++d) inner *= data.dim(d);
  const int64_t count = inputs[1].shape.num_elements();
  const int32_t fill = inputs[0].dtype == DType::kF32 ? 0x7fc00000 : std::numeric_limits<int32_t>::min();
  int32_t* y = outputs[0].data<int32_t>().data();  // bits: f32 and i32 alike
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t index = I32(inputs[1])[i];
      if (attrs.Bool("wrap") && index < 0) index += size;
      const bool inside = index >= 0 && index < size;
      if (!inside && attrs.String("mode") == "error") {
        return absl::InvalidArgumentError(absl::StrFormat("index %d at position %d of 'indices'; expected %d to %d",
                                                          I32(inputs[1])[i], i, attrs.Bool("wrap") ? -size : 0,
                                                          size - 1));
      }
      if (attrs.String("mode") == "clamp") index = std::clamp<int64_t>(index, 0, size - 1);
      for (int64_t j = 0; j < inner; ++j) {
        *y++ = inside || attrs.String("mode") == "clamp" ? I32(inputs[0])[(o * size + index) * inner + j] : fill;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace rml
