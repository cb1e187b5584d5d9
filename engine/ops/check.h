// Checks a graph against the op list and infers types for a row count.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/graph/graph.h"
#include "engine/ops/op.h"

namespace rml {

// Types of every value at `rows`, by id: inputs and constants as recorded, node outputs inferred. Error if an op or
// attribute is unknown, an op refuses its inputs, or an inferred type differs from the recorded one; the message names
// the node, the input and both types. Requires CheckStructure().
absl::StatusOr<std::vector<TensorType>> InferTypes(const Graph& graph, int64_t rows);

// CheckStructure() and InferTypes() at the row counts that tell a wrong multiple of B from a right one (min, a few small
// ones, and max), so that an executor never exists for a graph that would fail later.
absl::Status CheckGraph(const Graph& graph);

}  // namespace rml
