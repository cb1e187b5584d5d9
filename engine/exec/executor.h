// Runs a compiled model. This header is the engine's front door: read a graph, compile it, run it.
//
//   auto program = rml::Program::Load("mlp.json");
//   auto executor = rml::Executor::Create(*program);
//   std::vector<rml::Tensor> outputs;
//   absl::Status status = (*executor)->Run({input.view()}, outputs);
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/tensor.h"
#include "engine/exec/program.h"

namespace rml {

class ExecutorImpl;

// How many of its threads an executor gives a step. The bits are the same either way.
enum class WidthPolicy : uint8_t {
  kByCost,  // as many as the step's work pays for
  kAll,     // all of them, however small the step: for tests
};

struct ExecutorOptions {
  int num_threads = 1;  // threads one run may use, the caller among them; bounded by the process's compute pool
  int max_plans = 16;   // plans kept, one per row count; the least recently used goes first
  WidthPolicy width_policy = WidthPolicy::kByCost;
  // Larger batches are run in blocks of at most so many rows, where rows do not depend on one another; 0: as their cost
  // suggests. The bits are the same either way.
  int64_t rows_at_a_time = 0;
};

// Memory of the caller's for one output of RunInto(): contiguous, 4-byte aligned (64 is faster).
struct TensorView {
  DType dtype = DType::kF32;
  Shape shape;
  void* data = nullptr;
};

// What a caller may want to stop a run for; looked at between steps.
struct RunControl {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  const std::atomic<bool>* cancelled = nullptr;  // not owned; may be set by any thread
};

// One row of step_info(): what a step covers and, for the row count asked for, what it makes and how.
struct StepInfo {
  std::string label;         // "matmul", "fused(add+relu)", "conv2d+add"
  std::vector<int> nodes{};  // indices into the graph's nodes
  std::vector<Shape> outputs{};
  std::string kernel;  // "gemm avx512 12x32", "view"
  int width = 1;       // threads
  double flops = 0;
  double bytes = 0;
};

// A Program plus one thread's memory. Not thread-safe: one executor per concurrent run; any number of executors share a
// program and the process's compute pool.
class Executor {
 public:
  // Plans for the smallest row count. Errors: InvalidArgument for options, ResourceExhausted without memory for the arena,
  // which is named with its size.
  static absl::StatusOr<std::unique_ptr<Executor>> Create(std::shared_ptr<const Program> program,
                                                          const ExecutorOptions& options = {});
  ~Executor();

  // Runs the model. `inputs` in the graph's order, contiguous; the row count B follows from their shapes. `outputs` is
  // resized and its tensors' memory reused: from the second run of a row count on nothing is allocated.
  // Errors: InvalidArgument (count, dtype or shape of an input, naming it, expected and got; a gather index),
  // DeadlineExceeded, Cancelled, ResourceExhausted. After an error the outputs are unspecified and the executor can be used
  // again: what it held for other row counts is still there.
  absl::Status Run(absl::Span<const ConstTensorView> inputs, std::vector<Tensor>& outputs,
                   const RunControl& control = {});

  // The same into memory of the caller's: one view per output, in the graph's order, of its type and of its
  // ShapeAt() the row count of the inputs. Nothing is allocated from the second run of a row count on.
  // Errors as Run; InvalidArgument, naming every output that does not fit, also if one shares memory with an input or
  // another output: steps read inputs after outputs have been written.
  absl::Status RunInto(absl::Span<const ConstTensorView> inputs, absl::Span<const TensorView> outputs,
                       const RunControl& control = {});

  // As Run, and adds each step's wall time to step_seconds (one entry per step_info() row; sized by this call).
  absl::Status RunProfiled(absl::Span<const ConstTensorView> inputs, std::vector<Tensor>& outputs,
                           std::vector<double>& step_seconds, const RunControl& control = {});

  // Takes the memory of outputs that the caller is done with (also ones that were moved away), for later runs.
  void Recycle(std::vector<Tensor>& outputs);

  // The compiled steps in order, with shapes for `rows` (static models: any value).
  absl::StatusOr<std::vector<StepInfo>> step_info(int64_t rows = 1);

  // The largest block in which a batch of `rows` is run (ExecutorOptions::rows_at_a_time).
  int64_t rows_at_a_time(int64_t rows) const;

  // Bytes of this executor's arena and of the plans' largest need.
  int64_t arena_bytes() const;

  const Program& program() const;

 private:
  explicit Executor(std::unique_ptr<ExecutorImpl> impl);
  std::unique_ptr<ExecutorImpl> impl_;
};

}  // namespace rml
