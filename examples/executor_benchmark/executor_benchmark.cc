// One Google Benchmark per graph file (*.json) in $RML_GRAPH_DIR, or of the test fixtures if that is not set: steady-state
// runs on one thread, for the smallest row count, on inputs of 0.5 (i32: 0).
//
//   RML_GRAPH_DIR=out executor_benchmark --benchmark_filter=mlp
//
// Each graph is loaded and compiled once, at registration. One that does not load or run is named on standard error and
// shown as skipped, with the reason.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/exec/executor.h"
#include "engine/kernels/dispatch.h"
#include "examples/graph_run/model_files.h"

namespace rml {
namespace {

struct LoadedGraph {
  std::unique_ptr<Executor> executor;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

absl::StatusOr<std::shared_ptr<LoadedGraph>> LoadGraph(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program, Program::Load(path));
  auto graph = std::make_shared<LoadedGraph>();
  ASSIGN_OR_RETURN(graph->executor, Executor::Create(program));
  ASSIGN_OR_RETURN(graph->inputs, DefaultInputs(*program, program->min_rows()));
  RETURN_IF_ERROR(graph->executor->Run(Views(graph->inputs), graph->outputs));  // warm from the first timed run on
  return graph;
}

void TimeRuns(benchmark::State& state, LoadedGraph& graph) {
  const std::vector<ConstTensorView> inputs = Views(graph.inputs);
  for (auto _ : state) {
    if (const absl::Status status = graph.executor->Run(inputs, graph.outputs); !status.ok()) {
      state.SkipWithError(std::string(status.message()).c_str());
      break;
    }
  }
}

// The number of graphs registered, also those that are skipped.
size_t RegisterGraphs(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path& path : paths) {
    const auto graph = LoadGraph(path.string());
    if (!graph.ok()) {
      const std::string reason(graph.status().message());
      std::fprintf(stderr, "%s skipped: %s\n", path.c_str(), reason.c_str());
      benchmark::RegisterBenchmark(path.stem().c_str(),
                                   [reason](benchmark::State& state) { state.SkipWithError(reason.c_str()); });
      continue;
    }
    benchmark::RegisterBenchmark(path.stem().c_str(), [graph = *graph](benchmark::State& state) {
      TimeRuns(state, *graph);
    })->Unit(benchmark::kMicrosecond);
  }
  return paths.size();
}

}  // namespace
}  // namespace rml

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (const absl::Status status = rml::SelectKernels(); !status.ok()) {
    std::fprintf(stderr, "executor_benchmark: %s\n", std::string(status.message()).c_str());
    return 2;
  }
  const char* chosen = std::getenv("RML_GRAPH_DIR");
  const std::string folder = chosen != nullptr ? chosen : RML_FIXTURES_DIR;
  if (rml::RegisterGraphs(folder) == 0) {
    std::fprintf(stderr, "executor_benchmark: there is no graph file (*.json) in '%s'\n", folder.c_str());
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
