#include "engine/exec/release_constants.h"

#include <vector>

#include "engine/fusion/constants.h"

namespace rml {
namespace {

// By value id: whether a step reads the value when it runs. Besides its operands a step may point to a constant, as an
// epilogue does to its bias: that shows as more reads by the step's nodes than the step has operands.
std::vector<bool> ReadAtRunTime(const ProgramImpl& program) {
  std::vector<bool> read(program.graph.values.size(), false);
  std::vector<int> surplus(program.graph.values.size(), 0);  // of one step: reads by its nodes less operands
  for (const ProgramStep& step : program.steps) {
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      if (!step.step->Prepared(static_cast<int>(i))) read[step.inputs[i]] = true;
      --surplus[step.inputs[i]];
    }
    for (int n : step.nodes) {
      for (ValueId id : program.graph.nodes[n].inputs) ++surplus[id];
    }
    for (int n : step.nodes) {
      for (ValueId id : program.graph.nodes[n].inputs) {
        if (surplus[id] > 0) read[id] = true;
      }
    }
    for (ValueId id : step.inputs) surplus[id] = 0;
    for (int n : step.nodes) {
      for (ValueId id : program.graph.nodes[n].inputs) surplus[id] = 0;
    }
  }
  return read;
}

}  // namespace

void ReleaseConstants(ProgramImpl& program) {
  const std::vector<bool> read = ReadAtRunTime(program);
  const auto release = [&](std::vector<Constant>& constants, int64_t& bytes_kept) {
    for (Constant& constant : constants) {
      if (read[constant.id]) {
        bytes_kept += ViewOf(program.graph, constant).shape.num_bytes();
      } else {
        constant.data = nullptr;
        constant.owner.reset();
      }
    }
  };
  release(program.graph.constants, program.memory.constants);
  release(program.folded, program.memory.prepared);
}

}  // namespace rml
