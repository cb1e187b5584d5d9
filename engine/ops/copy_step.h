// Copies any view into contiguous memory: what the planner inserts where a kernel cannot read a view in place and where
// a graph output is one.
#pragma once

#include <memory>

#include "engine/ops/step.h"

namespace rml {

// Operands: the view's first element, the contiguous destination.
std::unique_ptr<BoundStep> BindCopy(const View& source);

}  // namespace rml
