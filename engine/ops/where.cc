#include "engine/ops/where.h"

#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferWhere(const OpAttrs&, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[0], DType::kF32, "c"));
  RETURN_IF_ERROR(ExpectSameDType(inputs[1], "a", inputs[2], "b"));
  ASSIGN_OR_RETURN(const Shape branches, BroadcastShapes(inputs[1].shape, inputs[2].shape));
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShapes(inputs[0].shape, branches));
  return std::vector<TensorType>{{inputs[1].dtype, shape}};
}

absl::Status ReferenceWhere(const OpAttrs&, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs) {
  const int rank = outputs[0].shape().rank();
  absl::Span<int32_t> y = outputs[0].data<int32_t>();  // bits: f32 and i32 alike
  size_t i = 0;
  ForEachIndex(outputs[0].shape(), [&](const Index& index) {
    const bool first = F32(inputs[0])[BroadcastOffset(inputs[0].shape, index, rank)] != 0.0f;
    const ConstTensorView& from = inputs[first ? 1 : 2];
    y[i++] = I32(from)[BroadcastOffset(from.shape, index, rank)];
  });
  return absl::OkStatus();
}

}  // namespace rml
