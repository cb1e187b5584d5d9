// Sums of updates at places picked by index. Semantics: op_list.inc.
#pragma once

#include <memory>
#include <vector>

#include "engine/ops/op.h"
#include "engine/ops/step.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferScatterAdd(const OpAttrs& attrs, absl::Span<const TensorType> inputs);

absl::StatusOr<std::unique_ptr<Step>> CompileScatterAdd(const CompileContext& context);

absl::Status ReferenceScatterAdd(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                 absl::Span<Tensor> outputs);

}  // namespace rml
