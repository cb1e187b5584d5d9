// What a fusion pass hands to the compiler: nodes that become one step.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/ops/step.h"

namespace rml {

struct FusedNodes {
  std::string label;
  std::vector<int> nodes;       // in graph order; the step runs where the last one stood
  std::vector<ValueId> inputs;  // operands
  std::vector<ValueId> outputs;
  int attrs_node = -1;  // whose attributes the step is bound with; -1: none
  std::unique_ptr<Step> step{};
};

// What a pass found: the fused nodes, and one line for each place where its pattern began but did not match.
struct FusionResult {
  std::vector<FusedNodes> fused;
  std::vector<std::string> refused;
};

}  // namespace rml
