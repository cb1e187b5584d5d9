// Runs one exported model: once, then as asked compares it with the framework, times it and says where the time goes.
// All of rml-graph-run but its command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/exec/step_profile.h"
#include "examples/graph_run/latency.h"

namespace rml {

struct GraphRunOptions {
  std::string model;                  // graph file, with or without .json
  std::string inputs{};               // safetensors with input.i; empty: see DefaultInputs()
  int64_t batch = 0;                  // rows of a symbolic model; 0: as the inputs have, else 1
  bool check = false;                 // against output.i of `inputs`, or of the model's golden file if that is empty
  std::optional<double> tolerance{};  // largest absolute error; empty: atol + rtol * max|output| of the golden file
  std::string output{};               // where to write output.i; empty: nowhere
  int bench = 0;                      // timed runs
  int warmup = 10;                    // runs before them that are not timed
  bool profile = false;               // sum the time of `bench` runs (10 if that is 0) by step
  int threads = 1;
  bool fuse = true;
  std::vector<std::string> disabled_passes{};
};

struct GraphRunResult {
  std::string model;
  int threads = 1;
  int64_t batch = 1;
  double load_ms = 0;                     // reading, compiling and the executor
  std::optional<double> max_abs_error{};  // when checked
  std::string failed_check{};             // which output is beyond the tolerance and by how much; empty: none
  std::optional<Latency> latency{};       // when benched
  std::optional<std::vector<ProfileRow>> profile{};  // when profiled
};

// Errors: those of the files, of Program and Executor; InvalidArgument for options that do not fit the model or the
// files. A failed check is a result, not an error.
absl::StatusOr<GraphRunResult> RunGraph(const GraphRunOptions& options);

// One line: model, threads, batch, load_ms, then max_abs_error, the latency and profile as far as there are any.
// Numbers that JSON cannot hold (an infinite error) are null.
std::string ToJson(const GraphRunResult& result);

}  // namespace rml
