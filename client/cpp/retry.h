// When a failed call is tried again: only on UNAVAILABLE (the server was not reached, or is draining and has not started
// the work), a bounded number of times, and never past the caller's deadline.
#pragma once

#include <chrono>
#include <functional>

#include "absl/status/status.h"

namespace rml {

struct RetryPolicy {
  int max_attempts = 4;                          // the first one included; 1: no retries
  std::chrono::milliseconds first_wait{50};      // before the second attempt; doubles from there
  std::chrono::milliseconds longest_wait{1000};  // bound of one wait
};

// Time as CallWithRetries sees it; tests put their own in its place.
struct RetryClock {
  std::function<std::chrono::steady_clock::time_point()> now;
  std::function<void(std::chrono::milliseconds)> wait;

  static RetryClock System();
};

// Calls `attempt` until it gives anything but UNAVAILABLE, the attempts are used up or the next wait would pass
// `deadline`; returns the last status. Waits first_wait, 2 * first_wait, ... between attempts.
absl::Status CallWithRetries(const RetryPolicy& policy, std::chrono::steady_clock::time_point deadline,
                             const RetryClock& clock, const std::function<absl::Status()>& attempt);

}  // namespace rml
