#include "engine/fusion/constants.h"

namespace rml {

std::vector<std::optional<ConstTensorView>> ConstantsById(const Graph& graph) {
  std::vector<std::optional<ConstTensorView>> constants(graph.values.size());
  for (const Constant& constant : graph.constants) {
    const Value& value = graph.values[constant.id];
    constants[constant.id] = ConstTensorView{value.dtype, ShapeAt(value, graph.min_rows), constant.data};
  }
  return constants;
}

}  // namespace rml
