#include "examples/graph_run/graph_run.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/exec/executor.h"
#include "engine/graph/golden.h"
#include "examples/graph_run/model_files.h"

namespace rml {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kProfileRuns = 10;  // where no number of runs is asked for

double MicrosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// What a run is given, and what it is to give if that is known.
struct Data {
  std::vector<Tensor> inputs;
  std::optional<Golden> expected;
};

absl::StatusOr<Data> ReadData(const GraphRunOptions& options, const Program& program) {
  Data data;
  if (options.check) {
    const std::string path = options.inputs.empty() ? GoldenPath(GraphPath(options.model)) : options.inputs;
    ASSIGN_OR_RETURN(const bool has_outputs, HasOutputs(path));
    if (!has_outputs) return absl::InvalidArgumentError(path + ": there is no tensor output.0 to check against");
    ASSIGN_OR_RETURN(data.inputs, ReadInputs(path, program));
    ASSIGN_OR_RETURN(data.expected, ReadGolden(path));
  } else if (!options.inputs.empty()) {
    ASSIGN_OR_RETURN(data.inputs, ReadInputs(options.inputs, program));
  } else {
    const int64_t rows = options.batch > 0 ? options.batch : program.min_rows();
    if (program.symbolic() && (rows < program.min_rows() || rows > program.max_rows())) {
      return absl::InvalidArgumentError(absl::StrFormat("--batch is %d; this model takes %d to %d rows", rows,
                                                        program.min_rows(), program.max_rows()));
    }
    ASSIGN_OR_RETURN(data.inputs, DefaultInputs(program, rows));
  }
  return data;
}

absl::StatusOr<int64_t> CheckBatch(const GraphRunOptions& options, const Program& program, const Data& data) {
  ASSIGN_OR_RETURN(const int64_t rows, program.CheckInputs(Views(data.inputs)));
  if (options.batch > 0 && options.batch != rows) {
    return absl::InvalidArgumentError(
        program.symbolic() ? absl::StrFormat("--batch is %d, but the inputs have %d rows", options.batch, rows)
                           : absl::StrFormat("--batch is %d, but this model's shapes are fixed", options.batch));
  }
  return rows;
}

absl::Status Check(const GraphRunOptions& options, const std::vector<Tensor>& outputs, const Golden& golden,
                   GraphRunResult& result) {
  ASSIGN_OR_RETURN(const std::vector<OutputError> errors,
                   Annotate(CompareOutputs(Views(outputs), golden), "the file to check against"));
  result.max_abs_error = 0;
  for (size_t i = 0; i < errors.size(); ++i) {
    const double error = errors[i].error;
    const double tolerance = options.tolerance.value_or(errors[i].allowed);
    result.max_abs_error = std::max(*result.max_abs_error, error);
    if (!(error <= tolerance) && result.failed_check.empty()) {
      result.failed_check = absl::StrFormat("output.%d is off by %g; the tolerance is %g", i, error, tolerance);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Latency> Bench(const GraphRunOptions& options, const std::vector<ConstTensorView>& inputs,
                              Executor& executor, std::vector<Tensor>& outputs) {
  for (int i = 0; i < options.warmup; ++i) RETURN_IF_ERROR(executor.Run(inputs, outputs));
  std::vector<double> times_us(static_cast<size_t>(options.bench));
  for (double& time_us : times_us) {
    const Clock::time_point start = Clock::now();
    RETURN_IF_ERROR(executor.Run(inputs, outputs));
    time_us = MicrosecondsSince(start);
  }
  return Summarize(std::move(times_us));
}

}  // namespace

absl::StatusOr<GraphRunResult> RunGraph(const GraphRunOptions& options) {
  GraphRunResult result{.model = options.model, .threads = options.threads};
  const Clock::time_point start = Clock::now();
  ASSIGN_OR_RETURN(
      const std::shared_ptr<const Program> program,
      Program::Load(GraphPath(options.model), {.fuse = options.fuse, .disabled_passes = options.disabled_passes}));
  ASSIGN_OR_RETURN(const std::unique_ptr<Executor> executor,
                   Executor::Create(program, {.num_threads = options.threads}));
  result.load_ms = MicrosecondsSince(start) / 1000;

  ASSIGN_OR_RETURN(const Data data, ReadData(options, *program));
  ASSIGN_OR_RETURN(result.batch, CheckBatch(options, *program, data));
  const std::vector<ConstTensorView> inputs = Views(data.inputs);
  std::vector<Tensor> outputs;
  RETURN_IF_ERROR(executor->Run(inputs, outputs));
  if (!options.output.empty()) RETURN_IF_ERROR(WriteOutputs(options.output, outputs));
  if (data.expected) RETURN_IF_ERROR(Check(options, outputs, *data.expected, result));
  if (options.bench > 0) {
    ASSIGN_OR_RETURN(result.latency, Bench(options, inputs, *executor, outputs));
  }
  if (options.profile) {
    const int runs = options.bench > 0 ? options.bench : kProfileRuns;
    ASSIGN_OR_RETURN(RunProfile profile, ProfileRuns(*executor, inputs, runs, outputs));
    result.profile = std::move(profile.rows);
  }
  return result;
}

}  // namespace rml
