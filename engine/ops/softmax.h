// Softmax and its logarithm along one axis. Semantics: op_list.inc.
#pragma once

#include <memory>
#include <vector>

#include "engine/ops/op.h"
#include "engine/ops/step.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferSoftmax(const OpAttrs& attrs, absl::Span<const TensorType> inputs);

absl::StatusOr<std::unique_ptr<Step>> CompileSoftmax(const CompileContext& context);
absl::StatusOr<std::unique_ptr<Step>> CompileLogSoftmax(const CompileContext& context);

absl::Status ReferenceSoftmax(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                              absl::Span<Tensor> outputs);
absl::Status ReferenceLogSoftmax(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                 absl::Span<Tensor> outputs);

}  // namespace rml
