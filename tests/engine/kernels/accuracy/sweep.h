// A function over all of f32, or over a sample of it, on all cores.
#pragma once

#include <cstdint>
#include <functional>

#include "tests/engine/kernels/accuracy/measure.h"

namespace rml {

// All 2^32 f32 numbers. `progress` gets the share that is done, between 0 and 1.
Accuracy SweepAll(const Function& function, const std::function<void(double)>& progress);

// Every `stride`th number and the one after it, 64 neighbours on either side of the function's edges and limits and of
// the ends of f32's ranges, and `also`.
Accuracy SweepSample(const Function& function, uint32_t stride, absl::Span<const float> also);

}  // namespace rml
