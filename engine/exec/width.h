// How many threads a step is worth.
#pragma once

#include "engine/ops/step.h"

namespace rml {

// Threads for a step of this cost, 1..max_width. Depends on the cost alone, never on a timing, and never changes bits.
int ChooseWidth(const StepCost& cost, int max_width);

}  // namespace rml
