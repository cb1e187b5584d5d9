#include "engine/ops/compare.h"

#include <functional>

#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {
namespace {

template <typename T, typename F>
void CompareAs(absl::Span<const ConstTensorView> inputs, Tensor& output, F holds) {
  const auto* a = static_cast<const T*>(inputs[0].data);
  const auto* b = static_cast<const T*>(inputs[1].data);
  absl::Span<float> y = output.data<float>();
  const int rank = output.shape().rank();
  size_t i = 0;
  ForEachIndex(output.shape(), [&](const Index& index) {
    y[i++] = holds(a[BroadcastOffset(inputs[0].shape, index, rank)], b[BroadcastOffset(inputs[1].shape, index, rank)])
                 ? 1.0f
                 : 0.0f;
  });
}

template <typename F>
absl::Status Compare(absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs, F holds) {
  if (inputs[0].dtype == DType::kF32) {
    CompareAs<float>(inputs, outputs[0], holds);
  } else {
    CompareAs<int32_t>(inputs, outputs[0], holds);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferCompare(const OpAttrs&, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectSameDType(inputs[0], "a", inputs[1], "b"));
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShapes(inputs[0].shape, inputs[1].shape));
  return std::vector<TensorType>{{DType::kF32, shape}};
}

absl::Status ReferenceEq(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Compare(in, out, std::equal_to<>());
}
absl::Status ReferenceNe(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Compare(in, out, std::not_equal_to<>());
}
absl::Status ReferenceLt(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Compare(in, out, std::less<>());
}
absl::Status ReferenceLe(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Compare(in, out, std::less_equal<>());
}
absl::Status ReferenceGt(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Compare(in, out, std::greater<>());
}
absl::Status ReferenceGe(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Compare(in, out, std::greater_equal<>());
}

}  // namespace rml
