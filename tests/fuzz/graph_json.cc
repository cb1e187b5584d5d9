// Fuzz target: a graph file, its JSON and, after a NUL, its weights file if there is one.
// What the reader takes is printed, written, and read again as the same graph with the same bytes. If it is small, its
// types are inferred, and what passes is compiled, planned and run with fusion and without.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/exec/executor.h"
#include "engine/graph/graph_file.h"
#include "tests/fuzz/require.h"

namespace rml {
namespace {

// Small, so that an input costs microseconds and a few megabytes.
constexpr GraphLimits kLimits{.max_json_items = 4096, .max_nodes = 64, .max_values = 256};
constexpr int64_t kMaxElements = 1 << 16;  // of all values together
constexpr double kMaxFlops = 1e7;

bool SameConstants(const Graph& a, const Graph& b) {
  if (a.constants.size() != b.constants.size()) return false;
  for (size_t i = 0; i < a.constants.size(); ++i) {
    const Constant& x = a.constants[i];
    const Constant& y = b.constants[i];
    const auto bytes = static_cast<size_t>(ShapeAt(a.values[x.id], 1).num_bytes());
    if (x.id != y.id || x.name != y.name || (bytes > 0 && std::memcmp(x.data, y.data, bytes) != 0)) return false;
  }
  return true;
}

bool SameGraph(const Graph& a, const Graph& b) {
  return a.producer == b.producer && a.values == b.values && a.inputs == b.inputs && a.nodes == b.nodes &&
         a.outputs == b.outputs && a.symbolic == b.symbolic && a.min_rows == b.min_rows && a.max_rows == b.max_rows &&
         SameConstants(a, b);
}

void RequireSameAfterWriting(const Graph& graph) {
  const auto written = SerializeGraph(graph);
  Require(written.ok(), absl::StrCat("a graph that was read cannot be written: ", written.status().message()));
  const auto again = ReadGraph(written->json, written->weights, kLimits);
  Require(again.ok(), absl::StrCat("a graph that was written cannot be read: ", again.status().message()));
  Require(SameGraph(graph, *again), "a graph is another one after writing and reading:\n" + written->json);
  Require(PrintGraph(graph) == PrintGraph(*again), "a graph prints as another one after writing and reading");
  const auto twice = SerializeGraph(*again);
  Require(twice.ok() && twice->json == written->json && twice->weights == written->weights,
          "a file that was read is not written back byte for byte:\n" + written->json);
}

bool IsSmall(const Graph& graph) {
  int64_t elements = 0;
  for (const Value& value : graph.values) {
    int64_t count = 1;
    for (const Dim& dim : value.shape) {
      if (dim.At(graph.min_rows) > kMaxElements) return false;
      count *= dim.At(graph.min_rows);
      if (count > kMaxElements) return false;
    }
    elements += count;
  }
  return elements <= kMaxElements;
}

void Run(std::shared_ptr<const Program> program) {
  std::vector<Tensor> inputs;
  std::vector<ConstTensorView> views;
  for (const TensorInfo& info : program->inputs()) {
    inputs.emplace_back(info.dtype, ShapeAt({info.dtype, info.shape}, program->min_rows()));
    const auto size = static_cast<size_t>(inputs.back().shape().num_bytes());
    if (size > 0) std::memset(inputs.back().raw(), 0, size);  // an empty tensor has no memory
  }
  for (const Tensor& input : inputs) views.push_back(input.view());
  const int64_t rows = program->min_rows();
  const auto executor = Executor::Create(std::move(program));
  Require(executor.ok(), absl::StrCat("no executor for a program: ", executor.status().message()));
  const auto steps = (*executor)->step_info(rows);
  Require(steps.ok(), absl::StrCat("no plan for a program: ", steps.status().message()));
  double flops = 0;
  for (const StepInfo& step : *steps) flops += step.flops;
  if (flops > kMaxFlops) return;
  std::vector<Tensor> outputs;
  (void)(*executor)->Run(views, outputs);  // may refuse an index of a gather
}

void CompileAndRun(const Graph& graph) {
  for (const bool fuse : {true, false}) {
    auto program = Program::Compile(graph, {.fuse = fuse});
    if (!program.ok()) return;
    Run(*std::move(program));
  }
}

}  // namespace
}  // namespace rml

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\0');
  const std::string weights(end == std::string_view::npos ? "" : input.substr(end + 1));
  const auto graph = rml::ReadGraph(std::string(input.substr(0, end)), weights, rml::kLimits);
  if (!graph.ok()) return 0;
  rml::RequireSameAfterWriting(*graph);
  if (rml::IsSmall(*graph)) rml::CompileAndRun(*graph);
  return 0;
}
