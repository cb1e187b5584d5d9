// Matrix products as steps, with what follows them run on each tile while it is in L1.
#pragma once

#include <memory>

#include "engine/ops/step.h"

namespace rml {

// What a linear layer adds: y = activation((x * W) + bias + addend), in this order. nullptr / false means none.
struct LinearEpilogue {
  const float* bias = nullptr;  // [N], a constant of the graph
  bool has_addend = false;      // one more operand after x and W, of the output's shape
  UnaryFn activation = nullptr;
};

// Whether the node multiplies by a constant matrix of rank 2, which is packed once at load.
bool IsLinear(const CompileContext& context);

// Requires IsLinear(). The step's operands are x, W (prepared) and, if asked for, the addend.
absl::StatusOr<std::unique_ptr<Step>> MakeLinearStep(const CompileContext& context, const LinearEpilogue& epilogue);

}  // namespace rml
