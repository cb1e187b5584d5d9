// Pass fold_constants: nodes that read only constants run once, when the model is compiled, and are constants from then
// on: a tied weight's transpose is packed like any other weight.
//
// They run on the steps and the instruction set of the program that they belong to, so the bits are those of running
// them each time. A node stays as it is if
//   - its attributes or types depend on B, or its result is a graph output,
//   - all results together would take more than twice the bytes of the graph's constants and 16 MiB,
//   - it is a broadcast_to that adds elements, read by a node that stays: as a view it costs nothing,
//   - a pow reads its result as the exponent: pow by a constant that is known rounds otherwise, and no pass changes bits.
// If one of them fails (a gather index), none is folded, and running the model says what is wrong.
#pragma once

#include <vector>

#include "engine/exec/program.h"
#include "engine/fusion/readers.h"
#include "engine/graph/graph.h"
#include "engine/kernels/kernel_table.h"

namespace rml {

struct FoldedConstants {
  std::vector<bool> nodes;            // by node: never runs
  std::vector<Constant> constants{};  // results of these that other nodes read; unnamed
  PassReport report{"fold_constants", {}, {}};
};

// Requires a graph that CheckGraph() and FlushConstants() have seen.
FoldedConstants FoldConstants(const Graph& graph, const Readers& readers, const KernelTable& kernels);

}  // namespace rml
