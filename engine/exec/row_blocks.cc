#include "engine/exec/row_blocks.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "absl/status/statusor.h"
#include "engine/exec/plan.h"

namespace rml {
namespace {

// A core of today in round numbers. The distances between the levels decide, and they are alike on most machines: what
// moves comes from L2 while all that is held fits 1 MiB, from L3 up to 8 MiB, and from further away beyond. What is held
// counts, not what one step moves: a recurrence reads a little at a time of what was written long before. (64 rows of a
// transformer block with 64 positions of 256 channels, run whole, take 1.3 times as long as in blocks of 4.)
constexpr double kFlopsPerSecond = 130e9;
constexpr double kNearBytes = 1 << 20, kNearBytesPerSecond = 40e9;
constexpr double kMiddleBytes = 8 << 20, kMiddleBytesPerSecond = 25e9;
constexpr double kFarBytesPerSecond = 8e9;
constexpr double kFixedBytesPerSecond = 40e9;  // weights come from L3, for the most part while others are multiplied
constexpr double kSecondsPerStep = 0.2e-6, kSecondsPerThreadedStep = 2e-6;
// A product of m rows by a matrix takes 1 + (kFewRows / m)^2 times as long a row as one of many, and no longer than it
// takes to read the matrix (measured: an RNN and an LSTM). A weight counts for two operations a row and four bytes.
constexpr double kFewRows = 16, kFewRowsBytesPerSecond = 20e9;
// Less is not worth it: the figures above are rough.
constexpr double kWorthwhile = 0.97;

double SecondsAtATime(const std::vector<StepGrowth>& steps, double held_per_row, int num_threads, double rows) {
  const double held_per_thread = held_per_row * rows / num_threads;
  const double speed = held_per_thread <= kNearBytes     ? kNearBytesPerSecond
                       : held_per_thread <= kMiddleBytes ? kMiddleBytesPerSecond
                                                         : kFarBytesPerSecond;
  double seconds = static_cast<double>(steps.size()) * (num_threads > 1 ? kSecondsPerThreadedStep : kSecondsPerStep);
  for (const StepGrowth& step : steps) {
    const double flops = step.flops_per_row * rows;
    double alone =
        flops / kFlopsPerSecond + step.bytes_per_row * rows / speed + step.fixed_bytes / kFixedBytesPerSecond;
    const double m = 2 * flops / std::max(step.fixed_bytes, 1.0);
    if (m > 0) {
      alone += std::min(flops / kFlopsPerSecond * (kFewRows / m) * (kFewRows / m),
                        step.fixed_bytes / kFewRowsBytesPerSecond);
    }
    seconds += alone / num_threads;
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

double HeldBytes(const ProgramImpl& program, const Plan& plan) {
  int64_t bytes = plan.arena_bytes;
  for (const TensorInfo& input : program.inputs) bytes += ShapeAt(input, plan.rows).num_bytes();
  for (const TensorInfo& output : program.outputs) bytes += ShapeAt(output, plan.rows).num_bytes();
  return static_cast<double>(bytes);
}

}  // namespace

RowBlocks::RowBlocks(int64_t largest) { largest_.fill(largest); }

RowBlocks::RowBlocks(const std::vector<StepGrowth>& steps, double held_per_row, int num_threads) {
  for (int i = 1; i <= kMaxLog2; ++i) {
    const auto batch = static_cast<double>(int64_t{1} << i);
    double least = kWorthwhile * SecondsAtATime(steps, held_per_row, num_threads, batch) / batch;
    for (int j = 0; j < i; ++j) {
      const auto rows = static_cast<double>(int64_t{1} << j);
      const double seconds = SecondsAtATime(steps, held_per_row, num_threads, rows) / rows;
      if (seconds >= least) continue;
      least = seconds;
      largest_[i] = int64_t{1} << j;
    }
  }
}

RowBlocks RowBlocks::Make(const ProgramImpl& program, const ExecutorOptions& options) {
  // Not from one row: axes of size 1 make views out of copies.
  constexpr int64_t kSmallBatch = 2, kLargeBatch = 10;
  if (!RowsAreIndependent(program)) return RowBlocks();
  if (options.rows_at_a_time > 0) return RowBlocks(options.rows_at_a_time);
  if (program.graph.max_rows < kLargeBatch) return RowBlocks();
  const absl::StatusOr<std::unique_ptr<Plan>> few = MakePlan(program, kSmallBatch, options);
  const absl::StatusOr<std::unique_ptr<Plan>> many = MakePlan(program, kLargeBatch, options);
  // A row count that cannot be planned is an error when a run asks for it.
  if (!few.ok() || !many.ok()) return RowBlocks();
  const std::vector<StepCost> at_few = CostsOf(program, **few), at_many = CostsOf(program, **many);
  std::vector<StepGrowth> steps(at_few.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i].flops_per_row = at_many[i].flops / kLargeBatch;
    steps[i].bytes_per_row = std::max(0.0, at_many[i].bytes - at_few[i].bytes) / (kLargeBatch - kSmallBatch);
    steps[i].fixed_bytes = std::max(0.0, at_few[i].bytes - kSmallBatch * steps[i].bytes_per_row);
  }
  const double held = HeldBytes(program, **many) - HeldBytes(program, **few);
  return RowBlocks(steps, std::max(0.0, held) / (kLargeBatch - kSmallBatch), options.num_threads);
}

int64_t RowBlocks::BlocksOf(int64_t rows) const {
  const int log2 = std::min(static_cast<int>(std::bit_width(static_cast<uint64_t>(rows))) - 1, kMaxLog2);
  return largest_[log2] == 0 ? 1 : (rows + largest_[log2] - 1) / largest_[log2];
}

}  // namespace rml
