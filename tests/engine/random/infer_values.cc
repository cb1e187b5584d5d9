#include "tests/engine/random/infer_values.h"

#include <algorithm>

#include "engine/ops/op.h"

namespace rml {
namespace {

// The row counts at which CheckGraph() infers.
std::vector<int64_t> TellingRows(const Graph& graph) {
  std::vector<int64_t> rows = {graph.min_rows};
  for (int64_t small : {1, 2, 3, 5, 8, 17, 64, 1031}) {
    if (small > graph.min_rows && small < graph.max_rows) rows.push_back(small);
  }
  if (graph.max_rows > graph.min_rows) rows.push_back(graph.max_rows);
  return rows;
}

// The dim that has these sizes at these row counts, if there is one.
std::optional<Dim> Generalise(const std::vector<int64_t>& sizes, const std::vector<int64_t>& rows) {
  if (std::all_of(sizes.begin(), sizes.end(), [&](int64_t size) { return size == sizes[0]; })) return Dim(sizes[0]);
  const int64_t factor = sizes[0] / rows[0];
  for (size_t i = 0; i < rows.size(); ++i) {
    if (sizes[i] != factor * rows[i]) return std::nullopt;
  }
  return factor >= 1 ? std::optional(Dim::TimesB(factor)) : std::nullopt;
}

std::optional<std::vector<TensorType>> InferAt(const Graph& graph, const Node& node, int64_t rows) {
  const OpDef& op = *FindOp(node.op);
  const absl::StatusOr<OpAttrs> attrs = ResolveAttrs(op, node.attrs, rows);
  if (!attrs.ok()) return std::nullopt;
  std::vector<TensorType> types;
  for (ValueId id : node.inputs) types.push_back({graph.values[id].dtype, ShapeAt(graph.values[id], rows)});
  const absl::StatusOr<std::vector<TensorType>> outputs = op.infer(*attrs, types);
  return outputs.ok() ? std::optional(*outputs) : std::nullopt;
}

}  // namespace

std::optional<std::vector<Value>> InferValues(const Graph& graph, const Node& node) {
  const std::vector<int64_t> rows = TellingRows(graph);
  std::vector<std::vector<TensorType>> at_rows;
  for (int64_t count : rows) {
    const auto outputs = InferAt(graph, node, count);
    if (!outputs) return std::nullopt;
    at_rows.push_back(*outputs);
  }
  std::vector<Value> values;
  for (size_t i = 0; i < at_rows[0].size(); ++i) {
    const int rank = at_rows[0][i].shape.rank();
    Value value{at_rows[0][i].dtype, {}};
    for (int d = 0; d < rank; ++d) {
      std::vector<int64_t> sizes;
      for (const auto& types : at_rows) {
        if (types[i].shape.rank() != rank) return std::nullopt;
        sizes.push_back(types[i].shape.dim(d));
      }
      const std::optional<Dim> dim = Generalise(sizes, rows);
      if (!dim) return std::nullopt;
      value.shape.push_back(*dim);
    }
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace rml
