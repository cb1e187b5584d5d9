// What must hold of any graph.
//
//   nodes      each node of the unfused graph, run by the executor with every value as an output, agrees with its op's
//              reference on the same inputs (node_tolerance.h), at every row count; RunReference() is that chain
//   bits       the graph's outputs are bit for bit those of that run: fused and unfused, with every kernel table, on one
//              thread and on two (every step on both), in a first run and in later ones, with other inputs in between,
//              with outputs used again, at alternating row counts
//   rows       where an output says that its rows are independent, each row alone has the bits that it has in the batch
//   files      written and read again the graph prints the same, is written as the same bytes, and gives the same bits
//   memory     inputs and constants are left as they were; from the third run on nothing is allocated
#pragma once

#include <optional>
#include <string>

#include "tests/engine/random/random_case.h"

namespace rml {

struct CheckFailure {
  std::string stage;  // "nodes", "bits", "rows", "files", "memory"
  std::string what;
};

struct CheckOptions {
  std::string scratch_dir;  // for the files; empty: that check is left out
};

// The first thing that is wrong; nullopt if all holds. Requires a graph that CheckGraph() accepts.
std::optional<CheckFailure> CheckCase(const RandomCase& random_case, const CheckOptions& options);

}  // namespace rml
