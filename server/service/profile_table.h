// What a profile shows: the steps of a program summed by label.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "engine/exec/executor.h"
#include "rml/v1/inference.pb.h"

namespace rml {

// steps and seconds: one entry per step; seconds summed over `iterations` runs. Rows come slowest first, equal times by
// label; times, flops and bytes are per run.
std::vector<v1::ProfileRow> ProfileTable(absl::Span<const StepInfo> steps, absl::Span<const double> seconds,
                                         int iterations);

}  // namespace rml
