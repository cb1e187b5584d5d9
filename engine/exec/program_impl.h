// What a Program holds. Private to engine/exec.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/exec/program.h"
#include "engine/kernels/dispatch.h"
#include "engine/ops/op.h"
#include "engine/ops/step.h"

namespace rml {

struct ProgramStep {
  std::string label;
  std::vector<int> nodes;       // covered, in graph order
  std::vector<ValueId> inputs;  // the step's operands
  std::vector<ValueId> outputs;
  int attrs_node = -1;  // the node whose attributes Bind gets; -1: none
  std::unique_ptr<Step> step{};
};

struct ProgramImpl {
  const KernelTable* kernels = nullptr;  // the instruction set that all steps are compiled for
  Graph graph;
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  std::vector<ProgramStep> steps;
  std::vector<Constant> folded;  // results of nodes that never run; no data where each reader has a prepared copy
  MemoryBill memory;
  std::vector<PassReport> passes;
};

}  // namespace rml
