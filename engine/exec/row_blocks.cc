#include "engine/exec/row_blocks.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "absl/status/statusor.h"
#include "engine/exec/plan.h"

namespace rml {
namespace {

// A core of today in round numbers. The distances between the levels decide, and they are alike on most machines: what
// a step moves comes from L2 up to 1 MiB, from L3 up to 8 MiB, and from further away beyond. (Sixteen rows or more of a
// transformer block with 64 positions of 256 channels are beyond; run whole, 64 rows take 1.3 times as long as in
// blocks of 8.)
constexpr double kFlopsPerSecond = 100e9;
constexpr double kNearBytes = 1 << 20, kNearBytesPerSecond = 60e9;
constexpr double kMiddleBytes = 8 << 20, kMiddleBytesPerSecond = 20e9;
constexpr double kFarBytesPerSecond = 8e9;
constexpr double kSecondsPerStep = 0.2e-6, kSecondsPerThreadedStep = 2e-6;
// Less is not worth it: the figures above are rough.
constexpr double kWorthwhile = 0.95;

double SecondsAtATime(const std::vector<StepGrowth>& steps, int num_threads, double rows) {
  double seconds = static_cast<double>(steps.size()) * (num_threads > 1 ? kSecondsPerThreadedStep : kSecondsPerStep);
  for (const StepGrowth& step : steps) {
    const double bytes = step.bytes_per_row * rows, bytes_per_thread = bytes / num_threads;
    const double speed = bytes_per_thread <= kNearBytes     ? kNearBytesPerSecond
                         : bytes_per_thread <= kMiddleBytes ? kMiddleBytesPerSecond
                                                            : kFarBytesPerSecond;
    seconds +=
        (step.flops_per_row * rows / kFlopsPerSecond + step.fixed_bytes / kMiddleBytesPerSecond + bytes / speed) /
        num_threads;
  }
  return seconds;
}

bool VariesWithRows(const TensorInfo& info) {
  return std::any_of(info.shape.begin(), info.shape.end(), [](const Dim& dim) { return dim.symbolic(); });
}

// Whether the tensor of a block lies in one piece inside that of the batch.
bool CutsByRows(const TensorInfo& info) {
  return info.row_independent && !info.shape.empty() && info.shape[0].symbolic() &&
         std::none_of(info.shape.begin() + 1, info.shape.end(), [](const Dim& dim) { return dim.symbolic(); });
}

bool RowsAreIndependent(const ProgramImpl& program) {
  return program.graph.symbolic && program.graph.min_rows == 1 && !program.outputs.empty() &&
         std::all_of(program.inputs.begin(), program.inputs.end(),
                     [](const TensorInfo& input) { return CutsByRows(input) || !VariesWithRows(input); }) &&
         std::all_of(program.outputs.begin(), program.outputs.end(), CutsByRows);
}

// What each of the program's steps costs, copies with the step that needs them.
std::vector<StepCost> CostsOf(const ProgramImpl& program, const Plan& plan) {
  std::vector<StepCost> costs(program.steps.size());
  for (const PlanStep& step : plan.steps) {
    const StepCost cost = step.bound->cost();
    costs[step.program_step].flops += cost.flops;
    costs[step.program_step].bytes += cost.bytes;
  }
  return costs;
}

}  // namespace

RowBlocks::RowBlocks(int64_t largest) { largest_.fill(largest); }

RowBlocks::RowBlocks(const std::vector<StepGrowth>& steps, int num_threads) {
  for (int i = 1; i <= kMaxLog2; ++i) {
    const auto batch = static_cast<double>(int64_t{1} << i);
    double least = kWorthwhile * SecondsAtATime(steps, num_threads, batch) / batch;
    for (int j = 0; j < i; ++j) {
      const auto rows = static_cast<double>(int64_t{1} << j);
      const double seconds = SecondsAtATime(steps, num_threads, rows) / rows;
      if (seconds >= least) continue;
      least = seconds;
      largest_[i] = int64_t{1} << j;
    }
  }
}

RowBlocks RowBlocks::Make(const ProgramImpl& program, const ExecutorOptions& options) {
  // Not from one row: axes of size 1 make views out of copies.
  constexpr int64_t kFewRows = 2, kManyRows = 10;
  if (!RowsAreIndependent(program)) return RowBlocks();
  if (options.rows_at_a_time > 0) return RowBlocks(options.rows_at_a_time);
  if (program.graph.max_rows < kManyRows) return RowBlocks();
  const absl::StatusOr<std::unique_ptr<Plan>> few = MakePlan(program, kFewRows, options);
  const absl::StatusOr<std::unique_ptr<Plan>> many = MakePlan(program, kManyRows, options);
  // A row count that cannot be planned is an error when a run asks for it.
  if (!few.ok() || !many.ok()) return RowBlocks();
  const std::vector<StepCost> at_few = CostsOf(program, **few), at_many = CostsOf(program, **many);
  std::vector<StepGrowth> steps(at_few.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i].flops_per_row = at_many[i].flops / kManyRows;
    steps[i].bytes_per_row = std::max(0.0, at_many[i].bytes - at_few[i].bytes) / (kManyRows - kFewRows);
    steps[i].fixed_bytes = std::max(0.0, at_few[i].bytes - kFewRows * steps[i].bytes_per_row);
  }
  return RowBlocks(steps, options.num_threads);
}

int64_t RowBlocks::BlocksOf(int64_t rows) const {
  const int log2 = std::min(static_cast<int>(std::bit_width(static_cast<uint64_t>(rows))) - 1, kMaxLog2);
  return largest_[log2] == 0 ? 1 : (rows + largest_[log2] - 1) / largest_[log2];
}

}  // namespace rml
