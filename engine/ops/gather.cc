#include "engine/ops/gather.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/index_rule.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferGather(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[1], DType::kI32, "indices"));
  const Shape& data = inputs[0].shape;
  const Shape& indices = inputs[1].shape;
  RETURN_IF_ERROR(CheckAxis(attrs.Int("axis"), data.rank(), "axis"));
  RETURN_IF_ERROR(CheckIndexMode(attrs, data, indices, "fill"));
  if (data.rank() - 1 + indices.rank() > kMaxRank) {
    return absl::InvalidArgumentError(absl::StrFormat("the result would have rank %d; expected at most %d",
                                                      data.rank() - 1 + indices.rank(), kMaxRank));
  }
  const auto axis = static_cast<int>(attrs.Int("axis"));
  Shape shape;
  for (int d = 0; d < axis; ++d) shape.push_back(data.dim(d));
  for (int d = 0; d < indices.rank(); ++d) shape.push_back(indices.dim(d));
  for (int d = axis + 1; d < data.rank(); ++d) shape.push_back(data.dim(d));
  return std::vector<TensorType>{{inputs[0].dtype, shape}};
}

absl::StatusOr<int64_t> ReferencePosition(const OpAttrs& attrs, int32_t index, int64_t size, int64_t at) {
  int64_t position = index;
  if (attrs.Bool("wrap") && position < 0) position += size;
  if (position >= 0 && position < size) return position;
  if (attrs.String("mode") == "clamp") return std::clamp<int64_t>(position, 0, size - 1);
  if (attrs.String("mode") != "error") return -1;
  return absl::InvalidArgumentError(absl::StrFormat("index %d at position %d of 'indices'; expected %d to %d", index,
                                                    at, attrs.Bool("wrap") ? -size : 0, size - 1));
}

int32_t GatherFill(DType dtype) { return dtype == DType::kF32 ? 0x7fc00000 : std::numeric_limits<int32_t>::min(); }

absl::Status ReferenceGather(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                             absl::Span<Tensor> outputs) {
  const Shape& data = inputs[0].shape;
  const int axis = static_cast<int>(attrs.Int("axis"));
  const int64_t size = data.dim(axis);
  int64_t outer = 1, inner = 1;
  for (int d = 0; d < axis; ++d) outer *= data.dim(d);
  for (int d = axis + 1; d < data.rank(); ++d) inner *= data.dim(d);
  const int64_t count = inputs[1].shape.num_elements();
  int32_t* y = outputs[0].data<int32_t>().data();  // bits: f32 and i32 alike
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(const int64_t position, ReferencePosition(attrs, I32(inputs[1])[i], size, i));
      for (int64_t j = 0; j < inner; ++j) {
        *y++ = position < 0 ? GatherFill(inputs[0].dtype) : I32(inputs[0])[(o * size + position) * inner + j];
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace rml
