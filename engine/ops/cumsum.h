// Running sums along an axis. Semantics: op_list.inc.
#pragma once

#include <memory>
#include <vector>

#include "engine/ops/op.h"
#include "engine/ops/step.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferCumsum(const OpAttrs& attrs, absl::Span<const TensorType> inputs);

absl::StatusOr<std::unique_ptr<Step>> CompileCumsum(const CompileContext& context);

absl::Status ReferenceCumsum(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                             absl::Span<Tensor> outputs);

}  // namespace rml
