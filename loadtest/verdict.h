// Whether a run's figures may be believed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loadtest/recorder.h"

namespace rml {

// To say with 99 % confidence that 99 % of requests are below a time takes 662 of them with at most one above.
// Source: MLCommons inference rules, "early stopping": the smallest n with a binomial tail of at most 1 %.
inline constexpr int64_t kMinSamplesForP99 = 662;

struct VerdictLimits {
  int64_t min_samples = kMinSamplesForP99;
  int64_t max_errors = 0;
  // Sends may be late by this share of the latency, median against median and p99 against p99: more, and the figures tell
  // of the load generator, not of the server.
  double max_lateness = 0.1;
  // With requests in flight. A closed loop sends nothing meanwhile, so that a stall of seconds is a few slow samples.
  double max_silence_seconds = 1;
};

// Why the run is INVALID, in sentences for people; empty: VALID. A wrong answer, whatever the limits, is a reason.
std::vector<std::string> InvalidReasons(const RunStats& stats, const VerdictLimits& limits);

}  // namespace rml
