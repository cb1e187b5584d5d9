// Two-dimensional transposed convolution. Semantics: op_list.inc.
#pragma once

#include <memory>
#include <vector>

#include "engine/ops/op.h"
#include "engine/ops/step.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferConvTranspose2d(const OpAttrs& attrs, absl::Span<const TensorType> inputs);

absl::StatusOr<std::unique_ptr<Step>> CompileConvTranspose2d(const CompileContext& context);

absl::Status ReferenceConvTranspose2d(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                      absl::Span<Tensor> outputs);

}  // namespace rml
