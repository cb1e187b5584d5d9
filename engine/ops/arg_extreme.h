// argmax and argmin. Semantics: op_list.inc.
#pragma once

#include <memory>
#include <vector>

#include "engine/ops/op.h"
#include "engine/ops/step.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferArgExtreme(const OpAttrs& attrs, absl::Span<const TensorType> inputs);

absl::StatusOr<std::unique_ptr<Step>> CompileArgExtreme(const CompileContext& context);

absl::Status ReferenceArgmax(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                             absl::Span<Tensor> outputs);
absl::Status ReferenceArgmin(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                             absl::Span<Tensor> outputs);

}  // namespace rml
