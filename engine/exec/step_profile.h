// Where a run's time goes: the steps of a program summed by label.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/exec/executor.h"

namespace rml {

// All steps with one label. Times, flops and bytes are those of one run.
struct ProfileRow {
  std::string label{};   // "matmul", "fused(add+relu)"
  int nodes = 0;         // graph nodes that these steps cover
  int calls = 0;         // steps
  double seconds = 0;    // mean over the runs
  double share = 0;      // of the time of all steps
  double gflops = 0;     // 1e9 operations a second; 0 where they are not counted
  double gbytes = 0;     // 1e9 bytes a second
  std::string kernel{};  // of the slowest of the steps
  int width = 1;         // threads, the most among the steps
  // Of the speed that the machine could reach: the time that these steps' operations or bytes, whichever takes longer,
  // take at the measured peak of `width` cores, over `seconds`. 0 where neither is counted or no peak is known.
  double peak_share = 0;
};

// What ProfileRuns() measures.
struct RunProfile {
  std::vector<ProfileRow> rows;
  double wall_seconds = 0;  // of one run, the time between steps included
};

// One run to warm up, then the mean of `runs` >= 1 runs; then some milliseconds that measure the machine's peaks, in caches
// of the sizes that the steps need. Errors, `outputs` and `control` as Executor::Run.
absl::StatusOr<RunProfile> ProfileRuns(Executor& executor, absl::Span<const ConstTensorView> inputs, int runs,
                                       std::vector<Tensor>& outputs, const RunControl& control = {});

// `seconds` has one entry per step, summed over `runs` runs; `seconds_at_peak` says how long a step takes at least.
// Slowest first, equal times by label.
std::vector<ProfileRow> SumByLabel(absl::Span<const StepInfo> steps, absl::Span<const double> seconds, int runs,
                                   absl::FunctionRef<double(const StepInfo&)> seconds_at_peak);

}  // namespace rml
