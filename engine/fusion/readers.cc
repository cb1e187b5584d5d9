#include "engine/fusion/readers.h"

#include <algorithm>

namespace rml {

Readers::Readers(const Graph& graph) : readers_(graph.values.size()), is_output_(graph.values.size(), false) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (ValueId id : graph.nodes[n].inputs) readers_[id].push_back(static_cast<int>(n));
  }
  for (const GraphOutput& output : graph.outputs) is_output_[output.id] = true;
}

std::vector<Dim> CanonicalShape(const std::vector<Dim>& shape) {
  const auto first = std::find_if(shape.begin(), shape.end(), [](const Dim& dim) { return !dim.is(1); });
  return {first, shape.end()};
}

}  // namespace rml
