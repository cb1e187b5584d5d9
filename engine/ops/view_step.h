// The view arithmetic behind shape ops.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/ops/step.h"

namespace rml {

// `input` seen with another shape of as many elements, or nullopt if its strides allow none (elements would have to
// move).
std::optional<View> ReshapedView(const View& input, const Shape& output);

// The first index that a NumPy slice reads on an axis of `size` elements; `start` may be negative (from the end).
int64_t SliceStart(int64_t start, int64_t step, int64_t size);

}  // namespace rml
