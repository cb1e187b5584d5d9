#include "engine/fusion/constants.h"

namespace rml {

ConstTensorView ViewOf(const Graph& graph, const Constant& constant) {
  const Value& value = graph.values[constant.id];
  return {value.dtype, ShapeAt(value, graph.min_rows), constant.data};
}

std::vector<std::optional<ConstTensorView>> ConstantsById(const Graph& graph) {
  std::vector<std::optional<ConstTensorView>> constants(graph.values.size());
  for (const Constant& constant : graph.constants) constants[constant.id] = ViewOf(graph, constant);
  return constants;
}

}  // namespace rml
