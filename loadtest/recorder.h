// What a run is made of: every request from its intended send to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "loadtest/golden_check.h"
#include "loadtest/histogram.h"
#include "loadtest/load_clock.h"
#include "loadtest/protocol.h"

namespace rml {

// One request that has ended.
struct CallRecord {
  size_t model = 0;
  LoadTime intended;  // when it was to be sent; latency counts from here
  LoadTime ended;
  absl::Status status;
  Checked checked{};  // of an OK status
  std::optional<ServerTiming> timing{};
};

// Times in nanoseconds, of right answers to requests intended after the warm-up.
struct ModelStats {
  std::string model;
  Histogram latency;
  // Where the server says what it did: waiting, computing, and all the rest of the latency (messages, network, client).
  Histogram queue, compute, rest;
  int64_t other_bits = 0;  // right answers whose bits are not those of the first
  int64_t wrong = 0;
  int64_t errors = 0;
};

struct ErrorStats {
  int64_t count = 0;
  std::string first_message;
};

// A stretch of the run, by the time of intended sends.
struct IntervalStats {
  Histogram latency;
  int64_t failed = 0;  // errors and wrong answers
};

struct RunStats {
  std::vector<ModelStats> models;
  std::map<absl::StatusCode, ErrorStats> errors;  // warm-up included, as `wrong` is
  int64_t wrong = 0;
  std::string first_wrong;
  int64_t sent = 0;                    // warm-up included
  int64_t not_sent = 0;                // because too many were in flight
  Histogram latency;                   // of all models
  Histogram lateness;                  // of the actual after the intended send, after the warm-up
  double measured_seconds = 0;         // from the end of the warm-up to the last end
  double longest_silence_seconds = 0;  // with requests in flight and no answer
  std::vector<IntervalStats> intervals;
  double interval_seconds = 0;

  int64_t num_errors() const;
  // Right answers a second.
  double rate() const { return measured_seconds > 0 ? static_cast<double>(latency.count()) / measured_seconds : 0; }
};

// Thread-safe.
class Recorder {
 public:
  // start: of the run, of which the first `warm_up` is not measured. interval: length of RunStats::intervals.
  Recorder(absl::Span<const std::string> models, LoadTime start, std::chrono::nanoseconds warm_up,
           std::chrono::nanoseconds interval);

  void Sent(LoadTime intended, LoadTime sent);
  void NotSent();
  void Ended(const CallRecord& call);

  int64_t in_flight() const;
  RunStats Stats() const;  // so far

 private:
  void AddError(const CallRecord& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AddRight(const CallRecord& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  IntervalStats& IntervalOf(LoadTime intended) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsMeasured(LoadTime intended) const { return intended >= measured_from_; }

  const LoadTime measured_from_;
  const std::chrono::nanoseconds interval_;
  mutable absl::Mutex mutex_;
  RunStats stats_ ABSL_GUARDED_BY(mutex_);
  int64_t in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  LoadTime last_end_ ABSL_GUARDED_BY(mutex_);
  LoadTime silent_since_ ABSL_GUARDED_BY(mutex_);  // last answer, or last send with nothing in flight
};

}  // namespace rml
