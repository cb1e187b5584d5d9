#include "engine/exec/step_profile.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/exec/program_impl.h"
#include "engine/kernels/machine_peak.h"

namespace rml {

std::vector<ProfileRow> SumByLabel(absl::Span<const StepInfo> steps, absl::Span<const double> seconds, int runs,
                                   absl::FunctionRef<double(const StepInfo&)> seconds_at_peak) {
  std::map<std::string, ProfileRow> rows;
  std::map<std::string, double> slowest;
  double total = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const StepInfo& step = steps[i];
    const double mean = seconds[i] / runs;
    ProfileRow& row = rows[step.label];
    if (row.calls == 0 || mean > slowest[step.label]) {
      row.kernel = step.kernel;
      slowest[step.label] = mean;
    }
    row.nodes += static_cast<int>(step.nodes.size());
    row.calls += 1;
    row.seconds += mean;
    row.gflops += step.flops * 1e-9;  // sums, made rates below
    row.gbytes += step.bytes * 1e-9;
    row.width = std::max(row.width, step.width);
    row.peak_share += seconds_at_peak(step);
    total += mean;
  }
  std::vector<ProfileRow> sorted;
  for (auto& [label, row] : rows) {
    row.label = label;
    row.share = total > 0 ? row.seconds / total : 0;
    row.gflops = row.seconds > 0 ? row.gflops / row.seconds : 0;
    row.gbytes = row.seconds > 0 ? row.gbytes / row.seconds : 0;
    row.peak_share = row.seconds > 0 ? row.peak_share / row.seconds : 0;
    sorted.push_back(std::move(row));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const ProfileRow& a, const ProfileRow& b) { return a.seconds > b.seconds; });
  return sorted;
}

absl::StatusOr<RunProfile> ProfileRuns(Executor& executor, absl::Span<const ConstTensorView> inputs, int runs,
                                       std::vector<Tensor>& outputs, const RunControl& control) {
  ASSIGN_OR_RETURN(const int64_t rows, executor.program().CheckInputs(inputs));
  std::vector<double> seconds;
  RETURN_IF_ERROR(executor.RunProfiled(inputs, outputs, seconds, control));
  std::fill(seconds.begin(), seconds.end(), 0.0);  // the first run warms up
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) RETURN_IF_ERROR(executor.RunProfiled(inputs, outputs, seconds, control));
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  ASSIGN_OR_RETURN(const std::vector<StepInfo> steps, executor.step_info(rows));
  PeakMeter peak(
      executor.program().impl().kernels->isa);  // of one core; `width` of them are taken to reach as much each
  const auto seconds_at_peak = [&](const StepInfo& step) {
    return peak.SecondsAtPeak(step.flops / step.width, step.bytes / step.width);
  };
  return RunProfile{.rows = SumByLabel(steps, seconds, runs, seconds_at_peak), .wall_seconds = wall.count() / runs};
}

}  // namespace rml
