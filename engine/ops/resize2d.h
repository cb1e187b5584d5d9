// Images of another size. Semantics: op_list.inc.
#pragma once

#include <memory>
#include <vector>

#include "engine/ops/op.h"
#include "engine/ops/step.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferResize2d(const OpAttrs& attrs, absl::Span<const TensorType> inputs);

absl::StatusOr<std::unique_ptr<Step>> CompileResize2d(const CompileContext& context);

absl::Status ReferenceResize2d(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                               absl::Span<Tensor> outputs);

}  // namespace rml
