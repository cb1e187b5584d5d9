#include "tests/engine/random/features.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/ops/check.h"

namespace rml {
namespace {

std::vector<Origin> OriginsOf(const Graph& graph) {
  std::vector<Origin> origins(graph.values.size(), Origin::kComputed);
  for (const GraphInput& input : graph.inputs) origins[input.id] = Origin::kInput;
  for (const Constant& constant : graph.constants) origins[constant.id] = Origin::kConstant;
  for (const Node& node : graph.nodes) {
    if (IsViewOp(node.op)) origins[node.outputs[0]] = Origin::kView;
  }
  return origins;
}

uint32_t RankBucket(int rank, int lowest) { return 1u << (std::min(rank, 5) - lowest); }

// Ops whose first operand has a rank of its own choice, and the lowest that they take.
int LowestRank(std::string_view op) {
  static const std::set<std::string, std::less<>> fixed = {
      "conv2d", "conv_transpose2d", "max_pool2d", "avg_pool2d", "matmul", "sdpa", "resize2d"};
  static const std::set<std::string, std::less<>> from_1 = {"softmax",         "log_softmax", "layer_norm", "gather",
                                                            "gather_elements", "scatter_add", "argmax",     "argmin",
                                                            "cumsum",          "top_k",       "concat"};
  if (fixed.contains(op)) return -1;
  return from_1.contains(op) ? 1 : 0;
}

// An operand's name in the op list, up to the "..." of a list.
std::vector<Feature> CommonFeatures(const OpDef& op) {
  std::vector<Feature> features;
  for (int i = 0; i < std::min(op.max_inputs, 4); ++i) {
    if (i >= op.min_inputs && op.max_inputs > 4) break;  // a list's further inputs are like its first
    features.push_back({op.InputName(i), {"computed", "input", "constant", "view"}, [i](const NodeFacts& facts) {
                          const bool given = i < static_cast<int>(facts.origins.size());
                          return given ? 1u << static_cast<int>(facts.origins[i]) : 0u;
                        }});
  }
  if (const int lowest = LowestRank(op.name); lowest >= 0) {
    std::vector<std::string> ranks;
    for (int rank = lowest; rank < 5; ++rank) ranks.push_back(std::to_string(rank));
    ranks.push_back("5 to 8");
    features.push_back(
        {"rank", ranks, [lowest](const NodeFacts& facts) { return RankBucket(facts.Input(0).rank(), lowest); }});
  }
  features.push_back({"elements", {"some", "none"}, [](const NodeFacts& facts) {
                        const bool none = facts.Output().num_elements() == 0 || facts.Input(0).num_elements() == 0;
                        return none ? 2u : 1u;
                      }});
  return features;
}

}  // namespace

bool IsViewOp(std::string_view op) {
  static const std::set<std::string, std::less<>> views = {"reshape",   "transpose",    "squeeze",
                                                           "unsqueeze", "broadcast_to", "slice"};
  return views.contains(op);
}

bool NodeFacts::Gives(std::string_view attr) const {
  return std::any_of(node.attrs.begin(), node.attrs.end(), [&](const auto& given) { return given.first == attr; });
}

std::vector<NodeFacts> FactsOf(const Graph& graph) {
  const int64_t rows = graph.symbolic ? std::clamp(kSampleRows, graph.min_rows, graph.max_rows) : graph.min_rows;
  std::vector<NodeFacts> all;
  const auto types = InferTypes(graph, rows);
  if (!types.ok()) return all;
  const std::vector<Origin> origins = OriginsOf(graph);
  for (const Node& node : graph.nodes) {
    const OpDef& op = *FindOp(node.op);
    NodeFacts facts{node, op, *ResolveAttrs(op, node.attrs, rows), {}, {}, {}};
    for (ValueId id : node.inputs) {
      facts.inputs.push_back((*types)[id]);
      facts.origins.push_back(origins[id]);
    }
    for (ValueId id : node.outputs) facts.outputs.push_back((*types)[id]);
    all.push_back(std::move(facts));
  }
  return all;
}

DType DataType(const NodeFacts& facts) { return facts.inputs[facts.node.op == "where" ? 1 : 0].dtype; }

bool TakesI32(std::string_view op) {
  static const std::set<std::string, std::less<>> ops = {"neg",         "abs",
                                                         "relu",        "sign",
                                                         "add",         "sub",
                                                         "mul",         "div",
                                                         "maximum",     "minimum",
                                                         "remainder",   "floor_div",
                                                         "eq",          "ne",
                                                         "lt",          "le",
                                                         "gt",          "ge",
                                                         "where",       "clamp",
                                                         "cast",        "reduce_sum",
                                                         "reduce_max",  "reduce_min",
                                                         "gather",      "gather_elements",
                                                         "scatter_add", "reshape",
                                                         "transpose",   "squeeze",
                                                         "unsqueeze",   "broadcast_to",
                                                         "concat",      "slice",
                                                         "pad",         "argmax",
                                                         "argmin",      "cumsum"};
  return ops.contains(op);
}

const std::vector<Feature>& FeaturesOf(std::string_view op) {
  static const auto* all = [] {
    auto* map = new std::map<std::string, std::vector<Feature>, std::less<>>;
    for (const OpDef& def : AllOps()) {
      std::vector<Feature> features = CommonFeatures(def);
      for (const auto& more : {AttrFeatures(def), ShapeFeatures(def)}) {
        features.insert(features.end(), more.begin(), more.end());
      }
      map->emplace(def.name, std::move(features));
    }
    return map;
  }();
  static const std::vector<Feature> none;
  const auto it = all->find(op);
  return it == all->end() ? none : it->second;
}

}  // namespace rml
