// A piece of work for one instance of a model: a Run call, a Profile call.
#pragma once

#include <atomic>
#include <chrono>

#include "absl/status/status.h"

namespace rml {

using SteadyTime = std::chrono::steady_clock::time_point;

// Whose turn it is among jobs that wait: 1 comes before 2; among equals who came first.
inline constexpr int kFirstPriority = 1;
inline constexpr int kDefaultPriority = 5;
inline constexpr int kLastPriority = 10;

// Made by a call, shared with the queue while it waits. Exactly one of Run() and Refuse() is called, once. Neither throws:
// what goes wrong, memory included, is the outcome that they report.
class Job {
 public:
  explicit Job(SteadyTime deadline, int priority = kDefaultPriority) : deadline_(deadline), priority_(priority) {}
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // On a worker thread; no other job runs on `instance` meanwhile. `queued` is the time since it was pushed.
  virtual void Run(int instance, std::chrono::nanoseconds queued) = 0;
  // The job is not run: DeadlineExceeded, Cancelled. On any thread, under no lock.
  virtual void Refuse(const absl::Status& why) = 0;

  SteadyTime deadline() const { return deadline_; }
  int priority() const { return priority_; }
  // Set by JobQueue::Cancel(), looked at by the queue and, through RunControl, between the steps of a run.
  const std::atomic<bool>& cancelled() const { return cancelled_; }

 private:
  friend class JobQueue;
  const SteadyTime deadline_;
  const int priority_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace rml
