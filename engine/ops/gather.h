// Slices picked by index. Semantics: op_list.inc.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/ops/op.h"
#include "engine/ops/step.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferGather(const OpAttrs& attrs, absl::Span<const TensorType> inputs);

absl::StatusOr<std::unique_ptr<Step>> CompileGather(const CompileContext& context);

absl::Status ReferenceGather(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                             absl::Span<Tensor> outputs);

// What gather and gather_elements fill with: the element's bits.
int32_t GatherFill(DType dtype);

// Where an index points, for the references of all ops with 'mode' and 'wrap'; -1 for an element to be filled or
// skipped. Error: an index out of range, number `at` of 'indices'.
absl::StatusOr<int64_t> ReferencePosition(const OpAttrs& attrs, int32_t index, int64_t size, int64_t at);

}  // namespace rml
