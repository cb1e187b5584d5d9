// Questions that kernels ask of views.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/ops/step.h"

namespace rml {

// The view as a matrix of rows (all axes but the last) with a dense last axis: the elements between row starts. nullopt
// if the rows do not lie evenly in memory or their elements are not adjacent. One row: the row's length.
std::optional<int64_t> RowStride(const View& view);

// Whether the innermost axis longer than 1 is dense (stride 1) or repeats one element (stride 0).
bool InnermostDenseOrRepeated(const View& view);

}  // namespace rml
