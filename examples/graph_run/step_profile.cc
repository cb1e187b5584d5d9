#include "examples/graph_run/step_profile.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace rml {

std::vector<ProfileRow> SumByLabel(absl::Span<const StepInfo> steps, absl::Span<const double> seconds, int runs) {
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
    row.gflops += step.flops * 1e-9;  // made a rate below, when the row's time is known
    row.gbytes += step.bytes * 1e-9;
    row.width = std::max(row.width, step.width);
    total += mean;
  }
  std::vector<ProfileRow> sorted;
  for (auto& [label, row] : rows) {
    row.label = label;
    row.share = total > 0 ? row.seconds / total : 0;
    row.gflops = row.seconds > 0 ? row.gflops / row.seconds : 0;
    row.gbytes = row.seconds > 0 ? row.gbytes / row.seconds : 0;
    sorted.push_back(std::move(row));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const ProfileRow& a, const ProfileRow& b) { return a.seconds > b.seconds; });
  return sorted;
}

}  // namespace rml
