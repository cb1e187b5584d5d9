// Sends requests in a closed or an open loop and checks every answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "loadtest/golden_check.h"
#include "loadtest/load_clock.h"
#include "loadtest/recorder.h"
#include "loadtest/transport.h"

namespace rml {

// A model of the mix; its golden inputs are the request.
struct LoadModel {
  std::string name;
  double weight = 1;
  size_t request = 0;            // as Transport::Prepare() gave it
  GoldenCheck* check = nullptr;  // not owned
};

// Exactly one of workers and rate is set.
struct LoadPlan {
  int workers = 0;  // closed loop: so many callers, each of which sends its next request when it has its answer
  double rate = 0;  // open loop: so many requests a second, at random times, whatever the answers do
  std::chrono::nanoseconds warm_up{0};   // before the measurement
  std::chrono::nanoseconds duration{0};  // of the measurement: nothing is sent thereafter
  std::chrono::nanoseconds timeout{0};   // of a request
  int64_t max_requests = INT64_MAX;      // sending ends after so many, warm-up included
  int64_t max_in_flight = INT64_MAX;     // open loop: beyond, requests are not sent and counted so
  uint64_t seed = 0;
};

// Sends by `plan` to `transport` and waits for the end of every request, into `recorder`, whose start is `start`. Takes at
// most warm_up + duration + timeout.
void RunLoad(const LoadPlan& plan, absl::Span<const LoadModel> models, const Protocol& protocol, LoadTime start,
             Transport& transport, LoadClock& clock, Recorder& recorder);

}  // namespace rml
