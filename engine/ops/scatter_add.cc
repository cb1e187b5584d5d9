#include "engine/ops/scatter_add.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/gather.h"
#include "engine/ops/index_rule.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferScatterAdd(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[1], DType::kI32, "indices"));
  RETURN_IF_ERROR(ExpectSameDType(inputs[0], "data", inputs[2], "updates"));
  const Shape& data = inputs[0].shape;
  const Shape& indices = inputs[1].shape;
  RETURN_IF_ERROR(CheckAxis(attrs.Int("axis"), data.rank(), "axis"));
  RETURN_IF_ERROR(CheckIndexMode(attrs, data, indices, "drop"));
  RETURN_IF_ERROR(CheckElementIndices(attrs, data, indices));
  if (!(inputs[2].shape == indices)) {
    return absl::InvalidArgumentError(absl::StrFormat("input 'updates' has shape %s; expected that of 'indices', %s",
                                                      ToString(inputs[2].shape), ToString(indices)));
  }
  return std::vector<TensorType>{inputs[0]};
}

absl::Status ReferenceScatterAdd(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                 absl::Span<Tensor> outputs) {
  const Shape& data = inputs[0].shape;
  const int axis = static_cast<int>(attrs.Int("axis"));
  auto* y = outputs[0].data<int32_t>().data();
  auto* y_f32 = outputs[0].data<float>().data();
  std::copy_n(I32(inputs[0]), data.num_elements(), y);
  absl::Status status;
  int64_t i = 0;
  // Row-major over the indices: of those that meet in one element, the one with the lower index first.
  ForEachIndex(inputs[1].shape, [&](const Index& index) {
    const absl::StatusOr<int64_t> position = ReferencePosition(attrs, I32(inputs[1])[i], data.dim(axis), i);
    if (!position.ok()) {
      status.Update(position.status());
    } else if (*position >= 0) {
      Index to = index;
      to[axis] = *position;
      const int64_t at = OffsetOf(data, to);
      if (inputs[0].dtype == DType::kF32) {
        y_f32[at] += F32(inputs[2])[i];
      } else {
        y[at] = static_cast<int32_t>(static_cast<uint32_t>(y[at]) + static_cast<uint32_t>(I32(inputs[2])[i]));
      }
    }
    ++i;
  });
  return status;
}

}  // namespace rml
