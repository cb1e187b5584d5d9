#include "engine/ops/transpose.h"

#include "absl/strings/str_format.h"
#include "engine/base/list_text.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferTranspose(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  const Shape& x = inputs[0].shape;
  const std::vector<int64_t>& perm = attrs.Ints("perm");
  if (static_cast<int>(perm.size()) != x.rank() || !CheckAxes(perm, x.rank(), "perm").ok()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "attribute 'perm' is %s; expected each axis of 'x' of shape %s once", ListText(perm), ToString(x)));
  }
  Shape shape;
  for (int64_t axis : perm) shape.push_back(x.dim(static_cast<int>(axis)));
  return std::vector<TensorType>{{inputs[0].dtype, shape}};
}

absl::Status ReferenceTranspose(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                absl::Span<Tensor> outputs) {
  const std::vector<int64_t>& perm = attrs.Ints("perm");
  int32_t* y = outputs[0].data<int32_t>().data();
  ForEachIndex(outputs[0].shape(), [&](const Index& index) {
    Index source{};
    for (size_t d = 0; d < perm.size(); ++d) source[perm[d]] = index[d];
    *y++ = I32(inputs[0])[OffsetOf(inputs[0].shape, source)];
  });
  return absl::OkStatus();
}

}  // namespace rml
