// Time as the load generator sees it; tests put their own in its place.
#pragma once

#include <chrono>

namespace rml {

using LoadTime = std::chrono::steady_clock::time_point;

class LoadClock {
 public:
  virtual ~LoadClock() = default;
  virtual LoadTime now() = 0;
  virtual void SleepUntil(LoadTime time) = 0;  // returns at once for what has passed

  // The steady clock, with timer slack off: Linux otherwise wakes threads up to 50 us late to save power.
  static LoadClock& System();
};

inline double Seconds(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) * 1e-9; }

}  // namespace rml
