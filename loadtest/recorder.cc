#include "loadtest/recorder.h"

#include <algorithm>

namespace rml {
namespace {

// Intervals beyond are one with the last: a run that is not to end by time is as long as it likes.
constexpr size_t kMaxIntervals = 1000;

int64_t Nanoseconds(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

}  // namespace

int64_t RunStats::num_errors() const {
  int64_t sum = 0;
  for (const auto& [code, error] : errors) sum += error.count;
  return sum;
}

Recorder::Recorder(absl::Span<const std::string> models, LoadTime start, std::chrono::nanoseconds warm_up,
                   std::chrono::nanoseconds interval)
    : measured_from_(start + warm_up), interval_(interval), last_end_(start), silent_since_(start) {
  const absl::MutexLock lock(&mutex_);
  for (const std::string& model : models) {
    stats_.models.emplace_back();
    stats_.models.back().model = model;
  }
  stats_.interval_seconds = Seconds(interval);
}

void Recorder::Sent(LoadTime intended, LoadTime sent) {
  const absl::MutexLock lock(&mutex_);
  ++stats_.sent;
  if (in_flight_++ == 0) silent_since_ = sent;
  if (IsMeasured(intended)) stats_.lateness.Add((sent - intended).count());
}

void Recorder::NotSent() {
  const absl::MutexLock lock(&mutex_);
  ++stats_.not_sent;
}

IntervalStats& Recorder::IntervalOf(LoadTime intended) {
  const auto index = static_cast<size_t>((intended - measured_from_) / interval_);
  if (index >= stats_.intervals.size()) stats_.intervals.resize(std::min(index + 1, kMaxIntervals));
  return stats_.intervals[std::min(index, kMaxIntervals - 1)];
}

void Recorder::AddError(const CallRecord& call) {
  ErrorStats& error = stats_.errors[call.status.code()];
  if (++error.count == 1) error.first_message = std::string(call.status.message());
  ++stats_.models[call.model].errors;
}

void Recorder::AddRight(const CallRecord& call) {
  ModelStats& model = stats_.models[call.model];
  const int64_t latency = (call.ended - call.intended).count();
  model.latency.Add(latency);
  if (call.checked.kind == AnswerKind::kOther) ++model.other_bits;
  if (call.timing) {
    const int64_t queue = Nanoseconds(call.timing->queue_seconds);
    const int64_t compute = Nanoseconds(call.timing->compute_seconds);
    model.queue.Add(queue);
    model.compute.Add(compute);
    model.rest.Add(latency - queue - compute);
  }
}

void Recorder::Ended(const CallRecord& call) {
  const absl::MutexLock lock(&mutex_);
  --in_flight_;
  last_end_ = std::max(last_end_, call.ended);
  stats_.longest_silence_seconds = std::max(stats_.longest_silence_seconds, Seconds(call.ended - silent_since_));
  // That time is up is what this side says, not the server.
  if (!absl::IsDeadlineExceeded(call.status)) silent_since_ = call.ended;
  const bool wrong = call.status.ok() && call.checked.kind == AnswerKind::kWrong;
  if (!call.status.ok()) AddError(call);
  if (wrong) {
    if (++stats_.wrong == 1) stats_.first_wrong = call.checked.why;
    ++stats_.models[call.model].wrong;
  }
  if (!IsMeasured(call.intended)) return;
  if (!call.status.ok() || wrong) {
    ++IntervalOf(call.intended).failed;
    return;
  }
  IntervalOf(call.intended).latency.Add((call.ended - call.intended).count());
  AddRight(call);
}

int64_t Recorder::in_flight() const {
  const absl::MutexLock lock(&mutex_);
  return in_flight_;
}

RunStats Recorder::Stats() const {
  const absl::MutexLock lock(&mutex_);
  RunStats stats = stats_;
  for (const ModelStats& model : stats.models) stats.latency.Add(model.latency);
  stats.measured_seconds = std::max(0.0, Seconds(last_end_ - measured_from_));
  return stats;
}

}  // namespace rml
