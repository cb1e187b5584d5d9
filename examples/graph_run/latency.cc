#include "examples/graph_run/latency.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace rml {
namespace {

// Percent and not a fraction: 0.1 * 10 rounded up must be 1, whatever the bits of 0.1 are.
double NearestRank(const std::vector<double>& sorted, size_t percent) {
  const size_t rank = (percent * sorted.size() + 99) / 100;
  return sorted[std::max<size_t>(rank, 1) - 1];
}

}  // namespace

Latency Summarize(std::vector<double> times_us) {
  if (times_us.empty()) return {};
  std::sort(times_us.begin(), times_us.end());
  return {.iterations = static_cast<int>(times_us.size()),
          .mean_us = std::accumulate(times_us.begin(), times_us.end(), 0.0) / static_cast<double>(times_us.size()),
          .min_us = times_us.front(),
          .p10_us = NearestRank(times_us, 10),
          .median_us = NearestRank(times_us, 50),
          .p90_us = NearestRank(times_us, 90)};
}

}  // namespace rml
