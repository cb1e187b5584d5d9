// The reference executor: every node by its plain loops, every value kept. The yardstick for kernels, passes and plans.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/graph/graph.h"
#include "engine/ops/op.h"

namespace rml {

// Outputs of `graph` for `inputs` (the graph's order). Input types are checked as in Executor::Run. Flushes subnormals
// as Run does. Slow; for tests.
absl::StatusOr<std::vector<Tensor>> RunReference(const Graph& graph, absl::Span<const ConstTensorView> inputs);

}  // namespace rml
