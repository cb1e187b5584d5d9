// Where a run's time goes: the steps of a program summed by label.
#pragma once

#include <string>
#include <vector>

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
};

// `seconds` has one entry per step, summed over `runs` runs. Slowest first, equal times by label.
std::vector<ProfileRow> SumByLabel(absl::Span<const StepInfo> steps, absl::Span<const double> seconds, int runs);

}  // namespace rml
