#include "engine/ops/reference.h"

#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/kernels/denormals.h"
#include "engine/ops/check.h"

namespace rml {
namespace {

// The row count at which every input has the graph's type, or an error for the first that does not.
absl::StatusOr<int64_t> RowsOf(const Graph& graph, absl::Span<const ConstTensorView> inputs) {
  if (inputs.size() != graph.inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the model takes %d inputs; got %d", graph.inputs.size(), inputs.size()));
  }
  int64_t rows = graph.min_rows;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<Dim>& shape = graph.values[graph.inputs[i].id].shape;
    for (int d = 0; d < inputs[i].shape.rank() && d < static_cast<int>(shape.size()); ++d) {
      if (shape[d].symbolic()) rows = inputs[i].shape.dim(d) / shape[d].factor();
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.values[graph.inputs[i].id];
    if (inputs[i].dtype != value.dtype || !(inputs[i].shape == ShapeAt(value, rows))) {
      return absl::InvalidArgumentError(absl::StrFormat("input '%s' is %s%s; expected %s%s", graph.inputs[i].name,
                                                        DTypeName(inputs[i].dtype), ToString(inputs[i].shape),
                                                        DTypeName(value.dtype), ToString(value.shape)));
    }
  }
  return rows;
}

}  // namespace

absl::StatusOr<std::vector<Tensor>> RunReference(const Graph& graph, absl::Span<const ConstTensorView> inputs) {
  ASSIGN_OR_RETURN(const int64_t rows, RowsOf(graph, inputs));
  ASSIGN_OR_RETURN(const std::vector<TensorType> types, InferTypes(graph, rows));
  const ScopedFlushDenormals flush;
  std::vector<Tensor> computed(graph.values.size());
  std::vector<ConstTensorView> values(graph.values.size());
  for (size_t i = 0; i < inputs.size(); ++i) values[graph.inputs[i].id] = inputs[i];
  for (const Constant& constant : graph.constants) {
    values[constant.id] = {types[constant.id].dtype, types[constant.id].shape, constant.data};
  }
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const OpDef& op = *FindOp(node.op);
    ASSIGN_OR_RETURN(const OpAttrs attrs, ResolveAttrs(op, node.attrs, rows));
    std::vector<ConstTensorView> operands;
    for (ValueId id : node.inputs) operands.push_back(values[id]);
    std::vector<Tensor> results;
    for (ValueId id : node.outputs) results.emplace_back(types[id].dtype, types[id].shape);
    RETURN_IF_ERROR(Annotate(op.reference(attrs, operands, absl::MakeSpan(results)), graph.NodeLabel(n)));
    for (size_t i = 0; i < results.size(); ++i) {
      const ValueId id = node.outputs[i];
      computed[id] = std::move(results[i]);
      values[id] = computed[id].view();
    }
  }
  std::vector<Tensor> outputs;
  for (const GraphOutput& output : graph.outputs) outputs.push_back(Tensor::Copy(values[output.id]));
  return outputs;
}

}  // namespace rml
