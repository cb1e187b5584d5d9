#include "engine/fusion/fusion_pass.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace rml {

int FusionContext::Next(int node) const {
  const int count = static_cast<int>(graph.nodes.size());
  do {
    ++node;
  } while (node < count && folded[node]);
  return node;
}

std::vector<std::optional<ConstTensorView>> FusionContext::InputConstants(const Node& node) const {
  std::vector<std::optional<ConstTensorView>> inputs;
  for (ValueId id : node.inputs) inputs.push_back(constants[id]);
  return inputs;
}

FusionResult MatchNodes(const FusionContext& context, std::string_view op,
                        FusionMatch (*match)(const FusionContext& context, int node)) {
  FusionResult result;
  for (int n = 0; n < static_cast<int>(context.graph.nodes.size()); ++n) {
    if (context.graph.nodes[n].op != op || context.taken(n)) continue;
    FusionMatch found = match(context, n);
    if (FusedNodes* fused = std::get_if<FusedNodes>(&found)) {
      result.fused.push_back(std::move(*fused));
    } else {
      result.refused.push_back(absl::StrCat(context.graph.NodeLabel(n), ": ", std::get<std::string>(found)));
    }
  }
  return result;
}

}  // namespace rml
