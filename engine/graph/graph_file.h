// Reads and writes a graph file pair: NAME.json and NAME.safetensors. The format: docs/file-format.md.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/graph/graph.h"

namespace rml {

// Limits on what a file may ask for; more is an error that names the limit.
struct GraphLimits {
  int64_t max_json_bytes = 256LL << 20;
  int max_json_depth = 16;
  int64_t max_json_items = 1 << 25;  // numbers, strings, lists and objects together
  int64_t max_nodes = 1 << 20;
  int64_t max_values = 1 << 21;  // also of inputs, constants and outputs
  int64_t max_dim = 1LL << 40;   // at the largest row count; also of attributes that are multiples of B
};

// Reads `json_path` and the safetensors file beside it (same name, .safetensors for .json), into memory once:
// constants lie in what was read and keep it alive, each its own part; only those that are not 64-byte aligned in it are
// copied.
// The result has passed CheckStructure(); op names, attributes and types are checked by CheckGraph() in engine/ops.
// Errors: those of FileContent::Read for a file that cannot be read, InvalidArgument for one that is wrong, Unimplemented
// for another version of the format; messages name the file (its last path component), the place, what was expected and
// what came. Safe on any bytes.
absl::StatusOr<Graph> ReadGraphFile(const std::string& json_path, const GraphLimits& limits = {});

// The same from memory, for tests and fuzzing. `weights` may be empty if no constant is stored by name.
absl::StatusOr<Graph> ReadGraph(const std::string& json, const std::string& weights, const GraphLimits& limits = {});

// The bytes of a file pair.
struct GraphFilePair {
  std::string json;
  std::string weights;
};

// What WriteGraphFile writes, in memory. Errors as there.
absl::StatusOr<GraphFilePair> SerializeGraph(const Graph& graph);

// Writes the pair by WriteFilesAtomically(), weights first. After a crash between the two names the old JSON stands beside
// the new weights, which its checksum refuses. The same graph always gives the same bytes, and a file that was read gives
// its own bytes again. Unnamed constants of more than 16 elements, or not finite, are stored as "const.N".
// Errors: what CheckStructure finds; InvalidArgument for an attribute that is NaN or infinite; those of writing.
absl::Status WriteGraphFile(const Graph& graph, const std::string& json_path);

// Ids dense and defined once before use, names unique, outputs made by nodes, ranks, dims and byte counts within bounds
// for every row count. Says nothing about ops. Run by ReadGraph and after every pass in tests.
absl::Status CheckStructure(const Graph& graph, const GraphLimits& limits = {});

// A readable listing, one node a line, with symbolic shapes; what `rml inspect` prints and tests compare.
std::string PrintGraph(const Graph& graph);

}  // namespace rml
