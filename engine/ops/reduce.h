// Reductions over any axes. Semantics: op_list.inc.
#pragma once

#include <memory>
#include <vector>

#include "engine/ops/op.h"
#include "engine/ops/step.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferReduce(const OpAttrs& attrs, absl::Span<const TensorType> inputs);
absl::StatusOr<std::vector<TensorType>> InferReduceAny(const OpAttrs& attrs, absl::Span<const TensorType> inputs);

absl::StatusOr<std::unique_ptr<Step>> CompileReduce(const CompileContext& context);

absl::Status ReferenceReduceSum(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                absl::Span<Tensor> outputs);
absl::Status ReferenceReduceMean(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                 absl::Span<Tensor> outputs);
absl::Status ReferenceReduceMax(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                absl::Span<Tensor> outputs);
absl::Status ReferenceReduceMin(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                absl::Span<Tensor> outputs);
absl::Status ReferenceReduceProd(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                 absl::Span<Tensor> outputs);

}  // namespace rml
