// Types of a node's outputs with multiples of B, found by inferring at several row counts.
#pragma once

#include <optional>
#include <vector>

#include "engine/graph/graph.h"

namespace rml {

// nullopt if the op refuses the inputs or attributes at a row count at which CheckGraph() looks, or a dim is neither the
// same at all of them nor a multiple of B.
std::optional<std::vector<Value>> InferValues(const Graph& graph, const Node& node);

}  // namespace rml
