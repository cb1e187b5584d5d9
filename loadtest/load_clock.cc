#include "loadtest/load_clock.h"

#include <sys/prctl.h>

#include <thread>

namespace rml {
namespace {

class SteadyClock : public LoadClock {
 public:
  LoadTime now() override { return std::chrono::steady_clock::now(); }

  void SleepUntil(LoadTime time) override {
    thread_local const int slack_is_off = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    static_cast<void>(slack_is_off);
    std::this_thread::sleep_until(time);
  }
};

}  // namespace

LoadClock& LoadClock::System() {
  static SteadyClock clock;
  return clock;
}

}  // namespace rml
