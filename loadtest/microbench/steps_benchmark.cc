// Whole runs of small graphs through the executor, each measured turn by turn with the machine's peak:
//
//   steps_benchmark [--threads N] [seconds per graph, default 0.3]
//
// First what a run costs beside its kernels; then convolutions, attention and recurrences with GFLOP/s, GB/s, and the
// share of the peak: the time that the operations and bytes of all steps take at the rate of a core's FMA units, or of the
// cache that holds them, over the time they took. With --threads 2 or more: also the time over that of one thread, from
// turn to turn.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "engine/exec/executor.h"
#include "engine/kernels/dispatch.h"
#include "engine/kernels/machine_peak.h"
#include "loadtest/microbench/bench_graphs.h"
#include "loadtest/microbench/turns.h"

namespace rml {
namespace {

template <typename T>
T Require(absl::StatusOr<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "steps_benchmark: %s\n", std::string(result.status().message()).c_str());
  std::exit(1);
}

// A program with an executor of its own, ready to be run.
class Bench {
 public:
  Bench(const std::shared_ptr<const Program>& program, int threads)
      : executor_(Require(Executor::Create(program, {.num_threads = threads}))),
        inputs_(Require(program->ZeroInputs(program->min_rows()))),
        views_(Views(inputs_)) {
    for (Tensor& input : inputs_) {
      for (float& x : input.data<float>()) x = 0.5f;
    }
  }

  void Run() {
    if (!executor_->Run(views_, outputs_).ok()) std::abort();
  }

  Executor& executor() { return *executor_; }

 private:
  std::unique_ptr<Executor> executor_;
  std::vector<Tensor> inputs_;
  std::vector<ConstTensorView> views_;
  std::vector<Tensor> outputs_;
};

struct Options {
  int threads = 1;
  double seconds = 0.3;
};

void MeasureOverhead(BenchGraph graph, int steps, const Options& options) {
  const auto program = Require(Program::Compile(std::move(graph.graph), {.fuse = false}));
  Bench one(program, 1);
  std::vector<Contender> contenders = {{"run", [&] { one.Run(); }}};
  TakeTurns(contenders, options.seconds);
  const double ns = 1e9 * Median(contenders[0].seconds);
  std::printf("%-44s %9.1f ns a run %9.1f ns a step\n", graph.name.c_str(), ns, ns / steps);
}

struct Work {
  double flops = 0, bytes = 0;
  int width = 1;
};

Work Sum(const std::vector<StepInfo>& steps) {
  Work sum;
  for (const StepInfo& step : steps) {
    sum.flops += step.flops;
    sum.bytes += step.bytes;
    sum.width = std::max(sum.width, step.width);
  }
  return sum;
}

double SecondsAtPeak(PeakMeter& peak, const std::vector<StepInfo>& steps) {
  double seconds = 0;
  for (const StepInfo& step : steps) seconds += peak.SecondsAtPeak(step.flops, step.bytes);
  return seconds;
}

void Measure(BenchGraph graph, const Options& options) {
  const auto program = Require(Program::Compile(std::move(graph.graph)));
  Bench one(program, 1), many(program, options.threads);
  const std::vector<StepInfo> steps = Require(one.executor().step_info());
  const Work work = Sum(steps);
  double at_peak = 0;
  std::vector<Contender> contenders = {{"one", [&] { one.Run(); }}};
  if (options.threads > 1) contenders.push_back({"many", [&] { many.Run(); }});
  std::vector<double> shares;
  constexpr int kParts = 5;  // the peak is measured before each: in the same second
  for (int i = 0; i < kParts; ++i) {
    PeakMeter peak(ActiveKernels().isa);
    at_peak = SecondsAtPeak(peak, steps);
    for (Contender& c : contenders) c.seconds.clear();
    TakeTurns(contenders, options.seconds / kParts);
    shares.push_back(at_peak / Median(contenders[0].seconds));
  }
  const double seconds = Median(contenders[0].seconds);
  std::printf("%-44s %9.1f us %7.1f GFLOP/s %7.1f GB/s %5.1f %% of peak", graph.name.c_str(), 1e6 * seconds,
              1e-9 * work.flops / seconds, 1e-9 * work.bytes / seconds, 100 * Median(shares));
  if (options.threads > 1) {
    std::printf("  %d threads: %.2f of the time, width %d", options.threads, MedianRatio(contenders[1], contenders[0]),
                Sum(Require(many.executor().step_info())).width);
  }
  std::printf("\n");
  std::fflush(stdout);
}

int Main(const Options& options) {
  constexpr int kChain = 100;
  MeasureOverhead(IdentityReshape(), 1, options);
  MeasureOverhead(ChainOfTinySteps(kChain), kChain, options);
  for (auto* graphs : {&Convolutions, &Attentions, &Recurrences}) {
    for (BenchGraph& graph : (*graphs)()) Measure(std::move(graph), options);
  }
  return 0;
}

}  // namespace
}  // namespace rml

int main(int argc, char** argv) {
  rml::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool is_threads = argument == "--threads" && i + 1 < argc;
    const bool fine = is_threads ? absl::SimpleAtoi(argv[++i], &options.threads) && options.threads > 0
                                 : absl::SimpleAtod(argument, &options.seconds) && options.seconds > 0;
    if (!fine) {
      std::fprintf(stderr, "usage: steps_benchmark [--threads N] [seconds per graph, above 0; default 0.3]\n");
      return 2;
    }
  }
  if (const absl::Status status = rml::SelectKernels(); !status.ok()) {
    std::fprintf(stderr, "steps_benchmark: %s\n", std::string(status.message()).c_str());
    return 2;
  }
  return rml::Main(options);
}
