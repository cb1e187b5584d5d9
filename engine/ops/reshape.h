// Another shape for the same elements. Semantics: op_list.inc.
#pragma once

#include <memory>
#include <vector>

#include "engine/ops/op.h"
#include "engine/ops/step.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferReshape(const OpAttrs& attrs, absl::Span<const TensorType> inputs);
absl::StatusOr<std::vector<TensorType>> InferSqueeze(const OpAttrs& attrs, absl::Span<const TensorType> inputs);
absl::StatusOr<std::vector<TensorType>> InferUnsqueeze(const OpAttrs& attrs, absl::Span<const TensorType> inputs);

absl::StatusOr<std::unique_ptr<Step>> CompileReshape(const CompileContext& context);

absl::Status ReferenceReshape(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                              absl::Span<Tensor> outputs);
absl::Status ReferenceSqueeze(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                              absl::Span<Tensor> outputs);
absl::Status ReferenceUnsqueeze(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                absl::Span<Tensor> outputs);

}  // namespace rml
