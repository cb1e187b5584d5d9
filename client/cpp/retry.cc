#include "client/cpp/retry.h"

#include <algorithm>
#include <thread>

namespace rml {

RetryClock RetryClock::System() {
  return {.now = [] { return std::chrono::steady_clock::now(); },
          .wait = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }};
}

absl::Status CallWithRetries(const RetryPolicy& policy, std::chrono::steady_clock::time_point deadline,
                             const RetryClock& clock, const std::function<absl::Status()>& attempt) {
  std::chrono::milliseconds wait = std::min(policy.first_wait, policy.longest_wait);
  for (int attempts = 1;; ++attempts) {
    absl::Status status = attempt();
    if (!absl::IsUnavailable(status) || attempts >= policy.max_attempts) return status;
    if (deadline - clock.now() <= wait) return status;
    clock.wait(wait);
    wait = std::min(2 * wait, policy.longest_wait);
  }
}

}  // namespace rml
