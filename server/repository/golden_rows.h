// Holds a model's answers in batches of one size against those in batches of another.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/exec/executor.h"
#include "engine/graph/golden.h"

namespace rml {

// Runs the golden rows in batches of other sizes: one alone, and all of them twice and one more, as far as the model takes
// so many. Every row has to give the bits that it gives in the golden batch. Returns the sizes that were run: none where
// rows cannot be told apart (fixed shapes, rows that depend on each other, a row count in another dim than the first).
// Errors: FailedPrecondition "golden row check failed: output 'y' row 3 of a batch of 9 has other bits than in one of 4";
// as Executor::Run.
absl::StatusOr<std::vector<int64_t>> CheckGoldenRows(const Golden& golden, Executor& executor,
                                                     const RunControl& control = {});

}  // namespace rml
