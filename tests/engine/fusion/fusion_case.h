// What the tests of fusion passes share: the steps that a graph becomes, and equality of bits fused and unfused.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/exec/program.h"
#include "engine/graph/graph.h"
#include "tests/engine/graph_builder.h"

namespace rml {

// step_info() of the compiled graph: labels, and kernels.
std::vector<std::string> Labels(const Graph& graph, const ProgramOptions& options = {});
std::vector<std::string> Kernels(const Graph& graph);

// What a pass says of the places where it matched, and why it did not at others.
PassReport Report(const Graph& graph, const std::string& pass);
std::vector<std::string> Refusals(const Graph& graph, const std::string& pass);

// Runs on random inputs, fused and unfused.
void ExpectSameBitsUnfused(const Graph& graph);

// A graph and the labels of its steps.
struct FusionCase {
  const char* name;
  std::function<void(GraphBuilder&)> build;
  std::vector<std::string> labels;
};
void ExpectSteps(const FusionCase& fusion_case);

}  // namespace rml
