// One-input elementwise ops. Semantics: op_list.inc.
#pragma once

#include <memory>
#include <vector>

#include "engine/ops/op.h"
#include "engine/ops/step.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferUnaryAny(const OpAttrs& attrs, absl::Span<const TensorType> inputs);
absl::StatusOr<std::vector<TensorType>> InferUnary(const OpAttrs& attrs, absl::Span<const TensorType> inputs);

absl::StatusOr<std::unique_ptr<Step>> CompileUnary(const CompileContext& context);

absl::Status ReferenceNeg(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceAbs(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceRelu(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceSign(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceFloor(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceCeil(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceRoundEven(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                absl::Span<Tensor> outputs);
absl::Status ReferenceExp(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceLog(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceExpm1(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceLog1p(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceSqrt(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceRsqrt(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceReciprocal(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                 absl::Span<Tensor> outputs);
absl::Status ReferenceSin(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceCos(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceTanh(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceSigmoid(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                              absl::Span<Tensor> outputs);
absl::Status ReferenceErf(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceErfc(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);

}  // namespace rml
