// Two-input arithmetic with NumPy broadcasting. Semantics: op_list.inc.
#pragma once

#include <memory>
#include <vector>

#include "engine/ops/op.h"
#include "engine/ops/step.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferArithmetic(const OpAttrs& attrs, absl::Span<const TensorType> inputs);
absl::StatusOr<std::vector<TensorType>> InferPow(const OpAttrs& attrs, absl::Span<const TensorType> inputs);

absl::StatusOr<std::unique_ptr<Step>> CompileBinary(const CompileContext& context);

absl::Status ReferenceAdd(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceSub(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceMul(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceDiv(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceMaximum(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                              absl::Span<Tensor> outputs);
absl::Status ReferenceMinimum(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                              absl::Span<Tensor> outputs);
absl::Status ReferencePow(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs);
absl::Status ReferenceRemainder(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                absl::Span<Tensor> outputs);
absl::Status ReferenceFloorDiv(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                               absl::Span<Tensor> outputs);

}  // namespace rml
