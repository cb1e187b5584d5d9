// The i32 forms of elementwise ops: neg abs relu, add sub mul div maximum minimum, and comparisons.
#pragma once

#include <memory>
#include <string_view>

#include "engine/ops/segment_step.h"
#include "engine/ops/step.h"

namespace rml {

// Arithmetic wraps modulo 2^32 (so neg and abs of INT32_MIN are INT32_MIN). div truncates toward zero and never traps:
// x / 0 is -1 and INT32_MIN / -1 is INT32_MIN. Requires i32 inputs and one of the ops above without the comparisons.
absl::StatusOr<std::unique_ptr<Step>> CompileInteger(const CompileContext& context);

// y[i] = a[i] `op` b[i] as f32 0 or 1, for op among eq ne lt le gt ge; nullptr for others.
std::unique_ptr<const SegmentKernel> IntegerComparison(std::string_view op);

}  // namespace rml
