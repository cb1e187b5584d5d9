// What fusion passes share: what they get, what they hand to the compiler, and matching from a node of one op.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/fusion/readers.h"
#include "engine/graph/graph.h"
#include "engine/kernels/kernel_table.h"
#include "engine/ops/step.h"

namespace rml {

// Nodes that become one step.
struct FusedNodes {
  std::string label;
  std::vector<int> nodes;       // in graph order; the step runs where the last one stood
  std::vector<ValueId> inputs;  // operands
  std::vector<ValueId> outputs;
  int attrs_node = -1;  // whose attributes the step is bound with; -1: none
  absl::StatusOr<std::unique_ptr<Step>> step{std::unique_ptr<Step>()};  // or why it could not be made: memory
};

// What a pass found: the fused nodes, and one line for each place where its pattern began but did not match.
struct FusionResult {
  std::vector<FusedNodes> fused;
  std::vector<std::string> refused;
};

// The graph as the passes before have left it. Views; nothing is owned.
struct FusionContext {
  const Graph& graph;
  const Readers& readers;
  const std::vector<std::optional<ConstTensorView>>& constants;  // by value id; nullopt: computed at run time
  const std::vector<bool>& folded;                               // by node: its results are constants, it never runs
  const std::vector<bool>& covered;                              // by node: belongs to a step of an earlier pass
  const KernelTable& kernels;

  bool taken(int node) const { return folded[node] || covered[node]; }
  // The node that runs after `node`, or the number of nodes.
  int Next(int node) const;
  std::vector<std::optional<ConstTensorView>> InputConstants(const Node& node) const;
};

using FusionPass = FusionResult (*)(const FusionContext& context);

// The step that a pattern makes of a node and what follows it, or why it makes none.
using FusionMatch = std::variant<FusedNodes, std::string>;

// Tries `match` on each node of `op` that is still free, in graph order.
FusionResult MatchNodes(const FusionContext& context, std::string_view op,
                        FusionMatch (*match)(const FusionContext& context, int node));

}  // namespace rml
