#include "server/service/profile_table.h"

#include <algorithm>
#include <map>
#include <string>

namespace rml {
namespace {

// What one label has gathered.
struct Sum {
  v1::ProfileRow row;
  double flops = 0;
  double bytes = 0;
  double slowest_step = -1;
};

}  // namespace

std::vector<v1::ProfileRow> ProfileTable(absl::Span<const StepInfo> steps, absl::Span<const double> seconds,
                                         int iterations) {
  std::map<std::string, Sum> sums;
  double total = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const double mean = seconds[i] / iterations;
    Sum& sum = sums[steps[i].label];
    sum.row.set_label(steps[i].label);
    sum.row.set_nodes(sum.row.nodes() + static_cast<int>(steps[i].nodes.size()));
    sum.row.set_calls(sum.row.calls() + 1);
    sum.row.set_seconds(sum.row.seconds() + mean);
    sum.row.set_width(std::max(sum.row.width(), steps[i].width));
    sum.flops += steps[i].flops;
    sum.bytes += steps[i].bytes;
    total += mean;
    if (mean > sum.slowest_step) {
      sum.slowest_step = mean;
      sum.row.set_kernel(steps[i].kernel);
    }
  }
  std::vector<v1::ProfileRow> rows;
  for (auto& [label, sum] : sums) {
    if (sum.row.seconds() > 0) {
      sum.row.set_share(sum.row.seconds() / total);
      sum.row.set_gflops(sum.flops / sum.row.seconds() * 1e-9);
      sum.row.set_gbytes(sum.bytes / sum.row.seconds() * 1e-9);
    }
    rows.push_back(std::move(sum.row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.seconds() > b.seconds(); });
  return rows;
}

}  // namespace rml
