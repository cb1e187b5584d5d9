#include "tests/engine/random/case_edit.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/ops/check.h"
#include "engine/ops/reference.h"
#include "tests/engine/random/infer_values.h"

namespace rml {
namespace {

constexpr int64_t kMaxElements = 1 << 22;

std::vector<bool> ReadValues(const Graph& graph) {
  std::vector<bool> read(graph.values.size(), false);
  for (const Node& node : graph.nodes) {
    for (ValueId id : node.inputs) read[id] = true;
  }
  return read;
}

Tensor ElementsOf(const Graph& graph, const Constant& constant) {
  const Value& value = graph.values[constant.id];
  return Tensor::Copy({value.dtype, ShapeAt(value, graph.min_rows), constant.data});
}

void SetElements(Constant& constant, Tensor tensor) {
  auto owned = std::make_shared<Tensor>(std::move(tensor));
  constant.data = owned->raw();
  constant.owner = owned;
}

// The leading part of a tensor, or the tensor followed by ones (i32: zeros), axis by axis.
Tensor Resized(const Tensor& tensor, const Shape& shape) {
  Tensor result(tensor.dtype(), shape);
  if (tensor.dtype() == DType::kF32) std::fill(result.data<float>().begin(), result.data<float>().end(), 1.0f);
  const int64_t count = result.num_elements();
  const Strides strides = ContiguousStrides(tensor.shape());
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, offset = 0;
    bool inside = true;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      const int64_t at = rest % shape.dim(d);
      rest /= shape.dim(d);
      inside = inside && at < tensor.shape().dim(d);
      offset += at * strides[d];
    }
    if (inside) static_cast<int32_t*>(result.raw())[i] = static_cast<const int32_t*>(tensor.raw())[offset];
  }
  return result;
}

// Inputs and constants have the elements that their types say.
void FitTensors(RandomCase& edited) {
  for (size_t i = 0; i < edited.inputs.size(); ++i) {
    const Shape shape = ShapeAt(edited.graph.values[edited.graph.inputs[i].id], edited.max_rows());
    if (!(edited.inputs[i].shape() == shape)) edited.inputs[i] = Resized(edited.inputs[i], shape);
  }
}

Dim Replaced(const Dim& dim, int64_t from, int64_t to) {
  if (dim.factor() != from) return dim;
  if (!dim.symbolic()) return Dim(to);
  return to >= 1 ? Dim::TimesB(to) : dim;
}

void ResizeConstant(Graph& graph, Constant& constant, const std::vector<Dim>& dims) {
  Tensor elements = ElementsOf(graph, constant);
  graph.values[constant.id].shape = dims;
  SetElements(constant, Resized(elements, ShapeAt(graph.values[constant.id], graph.min_rows)));
}

}  // namespace

EditedCase Settle(RandomCase edited) {
  Graph& graph = edited.graph;
  for (const Node& node : graph.nodes) {
    const auto values = InferValues(graph, node);
    if (!values || values->size() != node.outputs.size()) return std::nullopt;
    for (size_t i = 0; i < values->size(); ++i) graph.values[node.outputs[i]] = (*values)[i];
  }
  const std::vector<bool> read = ReadValues(graph);
  Graph compact = graph;
  std::vector<ValueId> renamed(graph.values.size(), -1);
  compact.values.clear();
  const auto rename = [&](ValueId id) {
    renamed[id] = static_cast<ValueId>(compact.values.size());
    compact.values.push_back(graph.values[id]);
    return renamed[id];
  };
  compact.inputs.clear();
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (!read[graph.inputs[i].id]) continue;
    compact.inputs.push_back(graph.inputs[i]);
    compact.inputs.back().id = rename(graph.inputs[i].id);
    compact.inputs.back().row_independent = HasRows(graph.values[graph.inputs[i].id]);
    inputs.push_back(std::move(edited.inputs[i]));
  }
  compact.constants.clear();
  for (const Constant& constant : graph.constants) {
    if (!read[constant.id]) continue;
    compact.constants.push_back(constant);
    compact.constants.back().id = rename(constant.id);
  }
  for (Node& node : compact.nodes) {
    for (ValueId& id : node.inputs) id = renamed[id];
    for (ValueId& id : node.outputs) id = rename(id);
  }
  for (GraphOutput& output : compact.outputs) output.id = renamed[output.id];
  edited.graph = std::move(compact);
  edited.inputs = std::move(inputs);
  for (const Value& value : edited.graph.values) {
    if (ShapeAt(value, edited.max_rows()).num_elements() > kMaxElements) return std::nullopt;
  }
  FitTensors(edited);
  if (!CheckGraph(edited.graph).ok()) return std::nullopt;
  return edited;
}

EditedCase KeepNodes(const RandomCase& random_case, const std::vector<bool>& keep) {
  const Graph& graph = random_case.graph;
  if (std::count(keep.begin(), keep.end(), true) == 0) return std::nullopt;
  const Graph all = WithAllOutputs(graph);
  const auto values = RunReference(all, ViewsOf(random_case.inputs));
  if (!values.ok()) return std::nullopt;
  RandomCase edited = random_case.Clone();
  edited.graph.nodes.clear();
  std::set<ValueId> gone, needed;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (keep[n]) {
      edited.graph.nodes.push_back(graph.nodes[n]);
      needed.insert(graph.nodes[n].inputs.begin(), graph.nodes[n].inputs.end());
    } else {
      gone.insert(graph.nodes[n].outputs.begin(), graph.nodes[n].outputs.end());
    }
  }
  for (size_t i = 0; i < all.outputs.size(); ++i) {
    const ValueId id = all.outputs[i].id;
    if (!gone.contains(id) || needed.erase(id) == 0) continue;
    edited.graph.inputs.push_back({id, absl::StrCat("cut.", edited.graph.inputs.size()), false});
    edited.inputs.push_back((*values)[i].Clone());
  }
  std::erase_if(edited.graph.outputs, [&](const GraphOutput& output) { return gone.contains(output.id); });
  if (edited.graph.outputs.empty()) {
    for (ValueId id : edited.graph.nodes.back().outputs) {
      edited.graph.outputs.push_back({id, absl::StrCat("y", edited.graph.outputs.size()), false});
    }
  }
  return Settle(std::move(edited));
}

EditedCase KeepOutputs(const RandomCase& random_case, const std::vector<size_t>& outputs) {
  RandomCase edited = random_case.Clone();
  Graph& graph = edited.graph;
  graph.outputs.clear();
  std::set<ValueId> live;
  for (size_t i : outputs) {
    graph.outputs.push_back(random_case.graph.outputs[i]);
    live.insert(graph.outputs.back().id);
  }
  std::vector<Node> nodes;
  for (auto node = random_case.graph.nodes.rbegin(); node != random_case.graph.nodes.rend(); ++node) {
    const bool is_live =
        std::any_of(node->outputs.begin(), node->outputs.end(), [&](ValueId id) { return live.contains(id); });
    if (!is_live) continue;
    live.insert(node->inputs.begin(), node->inputs.end());
    nodes.push_back(*node);
  }
  graph.nodes.assign(nodes.rbegin(), nodes.rend());
  return Settle(std::move(edited));
}

EditedCase Bypass(const RandomCase& random_case, size_t node, size_t input) {
  const Graph& graph = random_case.graph;
  const ValueId from = graph.nodes[node].outputs[0], to = graph.nodes[node].inputs[input];
  if (graph.values[from].dtype != graph.values[to].dtype || graph.values[from].shape != graph.values[to].shape ||
      graph.nodes[node].outputs.size() != 1) {
    return std::nullopt;
  }
  RandomCase edited = random_case.Clone();
  edited.graph.nodes.erase(edited.graph.nodes.begin() + static_cast<int64_t>(node));
  for (Node& other : edited.graph.nodes) std::replace(other.inputs.begin(), other.inputs.end(), from, to);
  const auto made = [&](ValueId id) {
    return std::any_of(edited.graph.nodes.begin(), edited.graph.nodes.end(), [id](const Node& other) {
      return std::count(other.outputs.begin(), other.outputs.end(), id) > 0;
    });
  };
  for (GraphOutput& output : edited.graph.outputs) {
    if (output.id == from) output.id = to;
  }
  std::erase_if(edited.graph.outputs, [&](const GraphOutput& output) { return !made(output.id); });
  if (edited.graph.outputs.empty()) return std::nullopt;
  return Settle(std::move(edited));
}

EditedCase AtRows(const RandomCase& random_case, int64_t rows) {
  if (!random_case.graph.symbolic) return std::nullopt;
  RandomCase edited = random_case.Clone();
  edited.inputs = InputsAt(random_case, rows);
  edited.row_counts = {1};
  Graph& graph = edited.graph;
  const auto fix = [rows](std::vector<Dim>& dims) {
    for (Dim& dim : dims) dim = Dim(dim.At(rows));
  };
  for (Value& value : graph.values) fix(value.shape);
  for (Node& node : graph.nodes) {
    for (auto& [name, attr] : node.attrs) {
      if (auto* dim = std::get_if<Dim>(&attr)) *dim = Dim(dim->At(rows));
      if (auto* dims = std::get_if<std::vector<Dim>>(&attr)) fix(*dims);
    }
  }
  for (GraphOutput& output : graph.outputs) output.row_independent = false;
  graph.symbolic = false;
  graph.min_rows = graph.max_rows = 1;
  return Settle(std::move(edited));
}

EditedCase AsInput(const RandomCase& random_case, size_t constant) {
  RandomCase edited = random_case.Clone();
  const Constant& source = random_case.graph.constants[constant];
  edited.inputs.push_back(ElementsOf(random_case.graph, source));
  edited.graph.inputs.push_back({source.id, absl::StrCat("was_constant.", source.id), false});
  edited.graph.constants.erase(edited.graph.constants.begin() + static_cast<int64_t>(constant));
  return Settle(std::move(edited));
}

EditedCase ResizeAll(const RandomCase& random_case, int64_t from, int64_t to) {
  RandomCase edited = random_case.Clone();
  Graph& graph = edited.graph;
  const auto replace = [&](std::vector<Dim> dims) {
    for (Dim& dim : dims) dim = Replaced(dim, from, to);
    return dims;
  };
  for (const GraphInput& input : graph.inputs) graph.values[input.id].shape = replace(graph.values[input.id].shape);
  for (Constant& constant : graph.constants) {
    ResizeConstant(graph, constant, replace(graph.values[constant.id].shape));
  }
  for (Node& node : graph.nodes) {
    for (auto& [name, attr] : node.attrs) {
      auto* dims = std::get_if<std::vector<Dim>>(&attr);
      const bool is_size = name == "shape" || name == "ends" || name == "kernel";
      if (dims != nullptr && is_size) *dims = replace(*dims);
      if (auto* dim = std::get_if<Dim>(&attr); dim != nullptr && name == "k") *dim = Replaced(*dim, from, to);
    }
  }
  return Settle(std::move(edited));
}

EditedCase ResizeOne(const RandomCase& random_case, ValueId value, size_t axis, int64_t to) {
  RandomCase edited = random_case.Clone();
  Graph& graph = edited.graph;
  std::vector<Dim> dims = graph.values[value].shape;
  dims[axis] = Replaced(dims[axis], dims[axis].factor(), to);
  const auto constant = std::find_if(graph.constants.begin(), graph.constants.end(),
                                     [value](const Constant& item) { return item.id == value; });
  if (constant != graph.constants.end()) {
    ResizeConstant(graph, *constant, dims);
  } else {
    graph.values[value].shape = dims;
  }
  return Settle(std::move(edited));
}

size_t NumTensors(const RandomCase& random_case) {
  return random_case.inputs.size() + random_case.graph.constants.size();
}

EditedCase WithElements(const RandomCase& random_case, size_t tensor, const std::function<void(Tensor&)>& change) {
  RandomCase edited = random_case.Clone();
  if (tensor < edited.inputs.size()) {
    change(edited.inputs[tensor]);
  } else {
    Constant& constant = edited.graph.constants[tensor - edited.inputs.size()];
    Tensor elements = ElementsOf(edited.graph, constant);
    change(elements);
    SetElements(constant, std::move(elements));
  }
  return edited;
}

}  // namespace rml
