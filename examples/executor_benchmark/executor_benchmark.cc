// executor_benchmark: one Google Benchmark per .json in $RML_GRAPH_DIR (tests/fixtures when unset), in microseconds.
//
// Each graph is loaded and compiled once; the loop times Run on inputs of 0.5 (i32: 0), so the memory is warm. Symbolic
// graphs run at their smallest row count. Graphs that do not load are named on stderr and left out.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/exec/executor.h"

namespace {

namespace fs = std::filesystem;

struct Model {
  std::unique_ptr<rml::Executor> executor;
  std::vector<rml::Tensor> inputs;
};

absl::StatusOr<std::shared_ptr<Model>> LoadModel(const std::string& path) {
  auto program = rml::Program::Load(path);
  if (!program.ok()) return program.status();
  auto executor = rml::Executor::Create(*program);
  if (!executor.ok()) return executor.status();
  auto model = std::make_shared<Model>();
  model->executor = *std::move(executor);
  for (const rml::TensorInfo& info : (*program)->inputs()) {
    rml::Tensor input(info.dtype, rml::ShapeAt({info.dtype, info.shape}, (*program)->min_rows()));
    if (info.dtype == rml::DType::kF32) std::fill(input.data<float>().begin(), input.data<float>().end(), 0.5f);
    model->inputs.push_back(std::move(input));
  }
  return model;
}

void RunModel(benchmark::State& state, Model& model) {
  std::vector<rml::ConstTensorView> inputs;
  for (const rml::Tensor& input : model.inputs) inputs.push_back(input.view());
  std::vector<rml::Tensor> outputs;
  for (auto _ : state) {
    const absl::Status status = model.executor->Run(inputs, outputs);
    if (!status.ok()) {
      state.SkipWithError(status.ToString().c_str());
      return;
    }
    benchmark::DoNotOptimize(outputs.data());
  }
}

std::vector<fs::path> GraphsIn(const fs::path& folder) {
  std::vector<fs::path> graphs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") graphs.push_back(entry.path());
  }
  if (error) std::fprintf(stderr, "executor_benchmark: %s: %s\n", folder.c_str(), error.message().c_str());
  std::sort(graphs.begin(), graphs.end());
  return graphs;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const char* folder = std::getenv("RML_GRAPH_DIR");
  for (const fs::path& path : GraphsIn(folder != nullptr ? folder : "tests/fixtures")) {
    auto model = LoadModel(path.string());
    if (!model.ok()) {
      std::fprintf(stderr, "executor_benchmark: left out %s\n", model.status().ToString().c_str());
      continue;
    }
    benchmark::RegisterBenchmark(path.stem().c_str(), [model = *model](benchmark::State& state) {
      RunModel(state, *model);
    })->Unit(benchmark::kMicrosecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
