// Copies elements between two layouts of one shape.
#pragma once

#include <cstdint>

#include "engine/ops/step.h"
#include "engine/ops/strided_walk.h"

namespace rml {

// `walk` has two operands, the source and the target, and unit kRun. Elements are copied bit by bit, whatever their
// type; source and target must not overlap. Allocates nothing.
void CopyStrided(const RunContext& context, const StridedWalk& walk, const int32_t* source, int32_t* target);

}  // namespace rml
