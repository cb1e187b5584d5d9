#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/graph/graph_file.h"
#include "engine/graph/json_text.h"

namespace rml {

std::string PrintGraph(const Graph& graph) {
  auto type = [&](ValueId id) {
    return absl::StrCat(DTypeName(graph.values[id].dtype), ToString(graph.values[id].shape));
  };
  std::string out;
  if (graph.symbolic) absl::StrAppendFormat(&out, "B from %d to %d\n", graph.min_rows, graph.max_rows);
  for (const GraphInput& input : graph.inputs)
    absl::StrAppendFormat(&out, "%%%d = input '%s' %s\n", input.id, input.name, type(input.id));
  for (const Constant& constant : graph.constants) {
    const std::string name = constant.name.empty() ? "(inline)" : absl::StrCat("'", constant.name, "'");
    absl::StrAppendFormat(&out, "%%%d = constant %s %s\n", constant.id, name, type(constant.id));
  }
  auto ids = [](std::string* text, ValueId id) { absl::StrAppend(text, "%", id); };
  for (const Node& node : graph.nodes) {
    const std::string attrs = absl::StrJoin(node.attrs, ", ", [](std::string* text, const auto& attr) {
      absl::StrAppend(text, attr.first, "=", JsonAttr(attr.second));
    });
    absl::StrAppendFormat(
        &out, "%s = %s(%s)%s %s%s\n", absl::StrJoin(node.outputs, ", ", ids), node.op,
        absl::StrJoin(node.inputs, ", ", ids), attrs.empty() ? "" : absl::StrCat(" {", attrs, "}"),
        absl::StrJoin(node.outputs, ", ", [&](std::string* text, ValueId id) { absl::StrAppend(text, type(id)); }),
        node.name.empty() ? "" : absl::StrCat("  # ", node.name));
  }
  for (const GraphOutput& output : graph.outputs)
    absl::StrAppendFormat(&out, "output '%s' = %%%d\n", output.name, output.id);
  return out;
}

}  // namespace rml
