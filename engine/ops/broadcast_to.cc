#include "engine/ops/broadcast_to.h"

#include "absl/strings/str_format.h"
#include "engine/base/list_text.h"
#include "engine/base/status_macros.h"
#include "engine/ops/reference_loops.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferBroadcastTo(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  const std::vector<int64_t>& target = attrs.Ints("shape");
  if (target.size() > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'shape' has %d dims; expected at most %d", target.size(), kMaxRank));
  }
  RETURN_IF_ERROR(CheckedNumElements(target).status());
  const Shape shape(target);
  const absl::StatusOr<Shape> broadcast = BroadcastShapes(inputs[0].shape, shape);
  if (!broadcast.ok() || !(*broadcast == shape)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'shape' is %s; expected one that 'x' of shape %s repeats to", ListText(target),
                        ToString(inputs[0].shape)));
  }
  return std::vector<TensorType>{{inputs[0].dtype, shape}};
}

absl::Status ReferenceBroadcastTo(const OpAttrs&, absl::Span<const ConstTensorView> inputs,
                                  absl::Span<Tensor> outputs) {
  int32_t* y = outputs[0].data<int32_t>().data();
  const int rank = outputs[0].shape().rank();
  ForEachIndex(outputs[0].shape(),
               [&](const Index& index) { *y++ = I32(inputs[0])[BroadcastOffset(inputs[0].shape, index, rank)]; });
  return absl::OkStatus();
}

}  // namespace rml
