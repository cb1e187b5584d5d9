// Two-dimensional pooling. Semantics: op_list.inc.
#pragma once

#include <memory>
#include <vector>

#include "engine/ops/op.h"
#include "engine/ops/step.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferMaxPool2d(const OpAttrs& attrs, absl::Span<const TensorType> inputs);
absl::StatusOr<std::vector<TensorType>> InferAvgPool2d(const OpAttrs& attrs, absl::Span<const TensorType> inputs);

absl::StatusOr<std::unique_ptr<Step>> CompileMaxPool2d(const CompileContext& context);
absl::StatusOr<std::unique_ptr<Step>> CompileAvgPool2d(const CompileContext& context);

absl::Status ReferenceMaxPool2d(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                absl::Span<Tensor> outputs);
absl::Status ReferenceAvgPool2d(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                absl::Span<Tensor> outputs);

}  // namespace rml
