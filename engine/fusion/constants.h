// Constants of a graph by value id.
#pragma once

#include <optional>
#include <vector>

#include "engine/base/tensor.h"
#include "engine/graph/graph.h"

namespace rml {

// A constant's elements and type. A view into the graph.
ConstTensorView ViewOf(const Graph& graph, const Constant& constant);

// By value id: the constant's contiguous elements, nullopt for values that are computed. Views into the graph.
std::vector<std::optional<ConstTensorView>> ConstantsById(const Graph& graph);

}  // namespace rml
