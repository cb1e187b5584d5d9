// Holds a model against the answers of the framework that it came from.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/tensor.h"
#include "engine/exec/executor.h"
#include "engine/graph/golden.h"

namespace rml {

// Runs the golden inputs and returns the largest |got - want| over all outputs.
// Errors: InvalidArgument if the file does not fit the model (counts, types, shapes); FailedPrecondition, listing every
// output that is off: "golden row check failed: output 'logits' is off by 0.3 (1.2e-4 allowed)"; Cancelled as `control` says.
absl::StatusOr<double> CheckGolden(const Golden& golden, Executor& executor, const RunControl& control = {});

}  // namespace rml
