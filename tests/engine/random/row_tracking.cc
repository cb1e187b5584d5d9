#include "tests/engine/random/row_tracking.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "tests/engine/random/random_case.h"

namespace rml {
namespace {

// A node of which at least one input has rows and none is mixed; its only output has B in the first dim alone.
struct Site {
  const Graph& graph;
  const Node& node;
  const std::vector<RowTrack>& tracks;

  const std::vector<Dim>& Input(size_t i) const { return graph.values[node.inputs[i]].shape; }
  const std::vector<Dim>& Output() const { return graph.values[node.outputs[0]].shape; }
  bool Rows(size_t i) const { return tracks[node.inputs[i]] == RowTrack::kRows; }

  template <typename T>
  const T* Attr(std::string_view name) const {
    for (const auto& [key, value] : node.attrs) {
      if (key == name) return std::get_if<T>(&value);
    }
    return nullptr;
  }
  // Whether an axis list attribute has axis 0.
  bool Lists0(std::string_view name) const {
    const auto* axes = Attr<std::vector<Dim>>(name);
    return axes != nullptr && std::any_of(axes->begin(), axes->end(), [](const Dim& d) { return d.is(0); });
  }
  bool Is0(std::string_view name) const {
    const Dim* dim = Attr<Dim>(name);
    return dim != nullptr && dim->is(0);
  }
  bool Starts0(std::string_view name) const {
    const auto* list = Attr<std::vector<Dim>>(name);
    return list != nullptr && !list->empty() && list->front().is(0);
  }
};

// Operands with rows have the output's first axis as their own.
bool Broadcasts(const Site& site) {
  for (size_t i = 0; i < site.node.inputs.size(); ++i) {
    if (site.Rows(i) && (site.Input(i).size() != site.Output().size() || site.Input(i)[0] != site.Output()[0])) {
      return false;
    }
  }
  return true;
}

bool AxisIsInner(const Site& site) { return !site.Is0("axis"); }
bool AxesAreInner(const Site& site) { return !site.Lists0("axes"); }

// The other operand repeats along the first batch axis, or has it too.
bool MatMul(const Site& site) {
  const auto& a = site.Input(0);
  const auto& b = site.Input(1);
  if (site.Rows(0) && a.size() == 2 && !site.Rows(1)) return b.size() <= 2;
  for (size_t i = 0; i < 2; ++i) {
    if (site.Rows(i) && (site.Input(i).size() < 3 || site.Input(i).size() != site.Output().size())) return false;
  }
  // A vector on the other side removes an axis, so that the ranks above differ.
  return (!site.Rows(0) || a[0] == site.Output()[0]) && (!site.Rows(1) || b[0] == site.Output()[0]);
}

bool ImagesAlone(const Site& site) {
  for (size_t i = 1; i < site.node.inputs.size(); ++i) {
    if (site.Rows(i)) return false;
  }
  return true;
}

bool Sdpa(const Site& site) { return site.Output().size() >= 3 && Broadcasts(site); }

bool Gather(const Site& site) {
  if (site.Rows(0) && site.Rows(1)) return false;
  return site.Rows(0) ? !site.Is0("axis") : site.Is0("axis");
}

// All have rows along one axis that is not indexed along; or a table without rows is indexed along its first.
bool ElementByElement(const Site& site) {
  bool all = true;
  for (size_t i = 0; i < site.node.inputs.size(); ++i)
    all = all && site.Rows(i) && site.Input(i)[0] == site.Input(0)[0];
  return all && !site.Is0("axis");
}

bool GatherElements(const Site& site) { return site.Rows(0) ? ElementByElement(site) : site.Is0("axis"); }

bool All(const Site&) { return true; }

bool Transpose(const Site& site) { return site.Starts0("perm"); }
bool BroadcastTo(const Site& site) { return site.Input(0).size() == site.Output().size(); }
bool Pad(const Site& site) { return site.Starts0("before") && site.Starts0("after"); }

using Rule = bool (*)(const Site&);

const std::map<std::string, Rule, std::less<>>& Rules() {
  static const auto* rules = [] {
    auto* map = new std::map<std::string, Rule, std::less<>>{
        {"layer_norm", &AxesAreInner},
        {"matmul", &MatMul},
        {"conv2d", &ImagesAlone},
        {"conv_transpose2d", &ImagesAlone},
        {"max_pool2d", &All},
        {"avg_pool2d", &All},
        {"sdpa", &Sdpa},
        {"resize2d", &All},
        {"gather", &Gather},
        {"gather_elements", &GatherElements},
        {"scatter_add", &ElementByElement},
        {"reshape", &All},
        {"transpose", &Transpose},
        {"squeeze", &AxesAreInner},
        {"unsqueeze", &All},
        {"broadcast_to", &BroadcastTo},
        {"concat", &AxisIsInner},
        {"slice", &AxesAreInner},
        {"pad", &Pad},
    };
    for (const char* op :
         {"neg",     "abs",     "relu", "exp",       "log",       "sqrt", "rsqrt", "reciprocal", "sin",        "cos",
          "tanh",    "sigmoid", "erf",  "gelu",      "clamp",     "cast", "add",   "sub",        "mul",        "div",
          "maximum", "minimum", "pow",  "remainder", "floor_div", "sign", "floor", "ceil",       "round_even", "expm1",
          "log1p",   "erfc",    "eq",   "ne",        "lt",        "le",   "gt",    "ge",         "where"}) {
      map->emplace(op, &Broadcasts);
    }
    for (const char* op : {"softmax", "log_softmax", "top_k", "argmax", "argmin", "cumsum"}) {
      map->emplace(op, &AxisIsInner);
    }
    for (const char* op : {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"}) {
      map->emplace(op, &AxesAreInner);
    }
    return map;
  }();
  return *rules;
}

RowTrack TrackOf(const Graph& graph, const Node& node, const std::vector<RowTrack>& tracks) {
  bool any_rows = false;
  for (ValueId id : node.inputs) {
    if (tracks[id] == RowTrack::kMixed) return RowTrack::kMixed;
    any_rows |= tracks[id] == RowTrack::kRows;
  }
  const Value& output = graph.values[node.outputs[0]];
  if (!any_rows) {
    const auto symbolic = [](const Dim& dim) { return dim.symbolic(); };
    const bool has_b = std::any_of(output.shape.begin(), output.shape.end(), symbolic);
    // Something shared, repeated B times.
    if (has_b) return HasRows(output) && node.op == "broadcast_to" ? RowTrack::kRows : RowTrack::kMixed;
    return RowTrack::kShared;
  }
  const auto rule = Rules().find(node.op);
  if (rule == Rules().end() || !HasRows(output)) return RowTrack::kMixed;
  return rule->second({graph, node, tracks}) ? RowTrack::kRows : RowTrack::kMixed;
}

}  // namespace

bool HasRowRule(std::string_view op) { return Rules().contains(op); }

std::vector<RowTrack> TrackRows(const Graph& graph) {
  std::vector<RowTrack> tracks(graph.values.size(), RowTrack::kShared);
  for (const GraphInput& input : graph.inputs) {
    const auto& shape = graph.values[input.id].shape;
    const bool has_b = std::any_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim.symbolic(); });
    if (has_b) tracks[input.id] = HasRows(graph.values[input.id]) ? RowTrack::kRows : RowTrack::kMixed;
  }
  for (const Node& node : graph.nodes) {
    const RowTrack track = TrackOf(graph, node, tracks);
    for (ValueId id : node.outputs) tracks[id] = track;
  }
  return tracks;
}

}  // namespace rml
