#include "engine/ops/check.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/graph/graph_file.h"
#include "engine/graph/quoted.h"

namespace rml {
namespace {

absl::Status CheckInputCount(const OpDef& op, size_t count) {
  if (static_cast<int64_t>(count) >= op.min_inputs && static_cast<int64_t>(count) <= op.max_inputs)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("has %d inputs; expected (%s)", count, std::string(op.inputs)));
}

absl::Status CheckNode(const Graph& graph, const Node& node, int64_t rows, std::vector<TensorType>& types) {
  const OpDef* op = FindOp(node.op);
  if (op == nullptr) return absl::UnimplementedError(absl::StrCat("unknown op ", Quoted(node.op)));
  RETURN_IF_ERROR(CheckInputCount(*op, node.inputs.size()));
  if (static_cast<int>(node.outputs.size()) != op->num_outputs) {
    return absl::InvalidArgumentError(absl::StrFormat("has %d outputs; expected %d (%s)", node.outputs.size(),
                                                      op->num_outputs, std::string(op->outputs)));
  }
  ASSIGN_OR_RETURN(const OpAttrs attrs, ResolveAttrs(*op, node.attrs, rows));
  std::vector<TensorType> inputs;
  for (ValueId id : node.inputs) inputs.push_back(types[id]);
  ASSIGN_OR_RETURN(const std::vector<TensorType> outputs, op->infer(attrs, inputs));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueId id = node.outputs[i];
    RETURN_IF_ERROR(CheckedNumElements(outputs[i].shape.dims()).status());
    const TensorType recorded{graph.values[id].dtype, ShapeAt(graph.values[id], rows)};
    if (!(outputs[i] == recorded)) {
      const std::string at = graph.symbolic ? absl::StrFormat(" (for B = %d)", rows) : "";
      return absl::InvalidArgumentError(absl::StrFormat("output %d is %s; the file records value %d as %s%s", i,
                                                        ToString(outputs[i]), id, ToString(recorded), at));
    }
    types[id] = outputs[i];
  }
  return absl::OkStatus();
}

// Row counts at which a wrong multiple of B shows: the ends, and small ones between them.
std::set<int64_t> TellingRowCounts(const Graph& graph) {
  if (!graph.symbolic) return {graph.min_rows};
  std::set<int64_t> rows = {graph.min_rows, graph.max_rows};
  for (int64_t small : {1, 2, 3, 5, 8, 17, 64, 1031}) {
    if (small > graph.min_rows && small < graph.max_rows) rows.insert(small);
  }
  return rows;
}

// All ops that do not exist, in one error.
absl::Status CheckOps(const Graph& graph) {
  std::set<std::string> unknown;
  for (const Node& node : graph.nodes) {
    if (FindOp(node.op) == nullptr) unknown.insert(node.op);
  }
  if (unknown.empty()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("unknown ops: ", QuotedList({unknown.begin(), unknown.end()})));
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferTypes(const Graph& graph, int64_t rows) {
  std::vector<TensorType> types(graph.values.size());
  for (const GraphInput& input : graph.inputs) {
    types[input.id] = {graph.values[input.id].dtype, ShapeAt(graph.values[input.id], rows)};
  }
  for (const Constant& constant : graph.constants) {
    types[constant.id] = {graph.values[constant.id].dtype, ShapeAt(graph.values[constant.id], rows)};
  }
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const absl::Status status = CheckNode(graph, graph.nodes[n], rows, types);
    if (!status.ok()) return Annotate(status, graph.NodeLabel(n));
  }
  return types;
}

absl::Status CheckGraph(const Graph& graph) {
  RETURN_IF_ERROR(CheckStructure(graph));
  RETURN_IF_ERROR(CheckOps(graph));
  for (int64_t rows : TellingRowCounts(graph)) RETURN_IF_ERROR(InferTypes(graph, rows).status());
  return absl::OkStatus();
}

}  // namespace rml
