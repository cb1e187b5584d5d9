// Subnormal constants count as zeros, as every subnormal does while a model runs.
#pragma once

#include "absl/status/status.h"
#include "engine/graph/graph.h"

namespace rml {

// Replaces subnormal f32 elements by zeros of their sign. A constant without any keeps its memory; one with some gets
// memory of its own (ResourceExhausted if there is none).
absl::Status FlushConstants(Graph& graph);

}  // namespace rml
