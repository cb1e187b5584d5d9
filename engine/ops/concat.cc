#include "engine/ops/concat.h"

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferConcat(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(CheckAxis(attrs.Int("axis"), inputs[0].shape.rank(), "axis"));
  const int axis = static_cast<int>(attrs.Int("axis"));
  Shape shape = inputs[0].shape;
  for (size_t i = 1; i < inputs.size(); ++i) {
    Shape other = inputs[i].shape;
    const bool same_rank = other.rank() == shape.rank();
    const int64_t size = same_rank ? other.dim(axis) : 0;
    if (same_rank) other.set_dim(axis, shape.dim(axis));
    if (!(other == shape) || inputs[i].dtype != inputs[0].dtype) {
      return absl::InvalidArgumentError(absl::StrFormat("input %d is %s; expected %s like input 0 but for axis %d", i,
                                                        ToString(inputs[i]), ToString(inputs[0]), axis));
    }
    shape.set_dim(axis, shape.dim(axis) + size);
    RETURN_IF_ERROR(CheckedNumElements(shape.dims()).status());
  }
  return std::vector<TensorType>{{inputs[0].dtype, shape}};
}

absl::Status ReferenceConcat(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                             absl::Span<Tensor> outputs) {
  const int axis = static_cast<int>(attrs.Int("axis"));
  int64_t before = 0;
  for (const ConstTensorView& input : inputs) {
    int64_t i = 0;
    ForEachIndex(input.shape, [&](Index index) {
      index[axis] += before;
      outputs[0].data<int32_t>()[OffsetOf(outputs[0].shape(), index)] = I32(input)[i++];
    });
    before += input.shape.dim(axis);
  }
  return absl::OkStatus();
}

}  // namespace rml
