#include "tests/engine/random/random_case.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/engine/random/row_tracking.h"

namespace rml {
namespace {

// The leading part of `source` that has `shape`.
Tensor Prefix(const Tensor& source, const Shape& shape) {
  Tensor part(source.dtype(), shape);
  const int64_t count = shape.num_elements();
  if (count == 0) return part;
  const Strides strides = ContiguousStrides(source.shape());
  const auto* from = static_cast<const int32_t*>(source.raw());
  auto* to = static_cast<int32_t*>(part.raw());
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, offset = 0;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      offset += rest % shape.dim(d) * strides[d];
      rest /= shape.dim(d);
    }
    to[i] = from[offset];
  }
  return part;
}

}  // namespace

int64_t RandomCase::max_rows() const { return *std::max_element(row_counts.begin(), row_counts.end()); }

RandomCase RandomCase::Clone() const {
  RandomCase copy{.seed = seed, .graph = graph, .inputs = {}, .row_counts = row_counts};
  for (const Tensor& input : inputs) copy.inputs.push_back(input.Clone());
  return copy;
}

std::vector<Tensor> InputsAt(const RandomCase& random_case, int64_t rows) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < random_case.inputs.size(); ++i) {
    const Value& value = random_case.graph.values[random_case.graph.inputs[i].id];
    inputs.push_back(Prefix(random_case.inputs[i], ShapeAt(value, rows)));
  }
  return inputs;
}

std::vector<Tensor> InputsOfRow(const RandomCase& random_case, int64_t row) {
  std::vector<Tensor> inputs = InputsAt(random_case, 1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = random_case.graph.values[random_case.graph.inputs[i].id];
    if (HasRows(value)) inputs[i] = RowOf(random_case.inputs[i], row, random_case.max_rows());
  }
  return inputs;
}

bool HasRows(const Value& value) {
  const auto symbolic = [](const Dim& dim) { return dim.symbolic(); };
  return !value.shape.empty() && value.shape[0].symbolic() &&
         std::count_if(value.shape.begin(), value.shape.end(), symbolic) == 1;
}

Tensor RowOf(const Tensor& tensor, int64_t row, int64_t rows) {
  Shape shape = tensor.shape();
  shape.set_dim(0, shape.dim(0) / rows);
  const auto* first = static_cast<const char*>(tensor.raw()) + row * shape.num_bytes();
  return Tensor::Copy({tensor.dtype(), shape, first});
}

std::vector<ConstTensorView> ViewsOf(const std::vector<Tensor>& tensors) {
  std::vector<ConstTensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  return views;
}

Graph WithAllOutputs(const Graph& graph) {
  Graph all = graph;
  std::set<ValueId> given;
  for (const GraphOutput& output : graph.outputs) given.insert(output.id);
  const std::vector<RowTrack> tracks = TrackRows(graph);
  for (const Node& node : graph.nodes) {
    for (ValueId id : node.outputs) {
      if (!given.insert(id).second) continue;
      all.outputs.push_back({id, absl::StrCat("%", id), tracks[id] == RowTrack::kRows});
    }
  }
  return all;
}

}  // namespace rml
