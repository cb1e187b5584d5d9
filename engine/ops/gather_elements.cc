#include "engine/ops/gather_elements.h"

#include "engine/base/status_macros.h"
#include "engine/ops/gather.h"
#include "engine/ops/index_rule.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferGatherElements(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[1], DType::kI32, "indices"));
  const Shape& data = inputs[0].shape;
  const Shape& indices = inputs[1].shape;
  RETURN_IF_ERROR(CheckAxis(attrs.Int("axis"), data.rank(), "axis"));
  RETURN_IF_ERROR(CheckIndexMode(attrs, data, indices, "fill"));
  RETURN_IF_ERROR(CheckElementIndices(attrs, data, indices));
  return std::vector<TensorType>{{inputs[0].dtype, indices}};
}

absl::Status ReferenceGatherElements(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                     absl::Span<Tensor> outputs) {
  const Shape& data = inputs[0].shape;
  const int axis = static_cast<int>(attrs.Int("axis"));
  int32_t* y = outputs[0].data<int32_t>().data();  // bits: f32 and i32 alike
  absl::Status status;
  int64_t i = 0;
  ForEachIndex(inputs[1].shape, [&](const Index& index) {
    const absl::StatusOr<int64_t> position = ReferencePosition(attrs, I32(inputs[1])[i], data.dim(axis), i);
    if (!position.ok()) {
      status.Update(position.status());
    } else {
      Index from = index;
      from[axis] = *position;
      y[i] = *position < 0 ? GatherFill(inputs[0].dtype) : I32(inputs[0])[OffsetOf(data, from)];
    }
    ++i;
  });
  return status;
}

}  // namespace rml
