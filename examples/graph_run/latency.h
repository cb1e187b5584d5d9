// Summary of the times of repeated runs.
#pragma once

#include <vector>

namespace rml {

// Microseconds. A percentile is the nearest rank: of n sorted times, number ceil(p * n), counted from one, so that it is
// always a time that was measured.
struct Latency {
  int iterations = 0;
  double mean_us = 0;
  double min_us = 0;
  double p10_us = 0;
  double median_us = 0;
  double p90_us = 0;
};

// All zero for no times. Takes the times of single runs in microseconds, in any order.
Latency Summarize(std::vector<double> times_us);

}  // namespace rml
