// Graphs that the benchmarks time: one op each, or one recurrence, in sizes of the model zoo.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace rml {

struct BenchGraph {
  std::string name;
  Graph graph;
};

// What a run costs beside its kernels: one reshape to the same shape, and a chain of 100 steps of four floats each.
BenchGraph IdentityReshape();
BenchGraph ChainOfTinySteps(int steps);

std::vector<BenchGraph> Convolutions();
std::vector<BenchGraph> Attentions();
// Unrolled, as the exporters write them: batches 1 and 8, 64 steps.
std::vector<BenchGraph> Recurrences();

}  // namespace rml
