// A model's waiting line: bounded, by priority and then first in first out, and free of jobs that nobody waits for any
// more.
//
//   Push ──> [ job job job ] ──Pop──> worker
//     │ full: ResourceExhausted   │ expired or cancelled: refused, never run
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "server/scheduler/job.h"
#include "server/sync/mutex.h"

namespace rml {

struct JobQueueOptions {
  std::string model;                      // "model 'mlp' version 1": who refuses, in errors
  size_t capacity = 256;                  // jobs waiting; those that run do not count
  std::atomic<int64_t>* depth = nullptr;  // if given, size() is part of it; not owned
  std::function<SteadyTime()> now = std::chrono::steady_clock::now;
};

// Thread-safe.
class JobQueue {
 public:
  // A job that a worker is to run, and for how long it waited.
  struct Next {
    std::shared_ptr<Job> job;
    std::chrono::nanoseconds queued;
  };

  explicit JobQueue(JobQueueOptions options);

  // OK: the job will be run or refused. Otherwise it was not taken and neither of its methods is called:
  // DeadlineExceeded ("not started") if its deadline has passed, ResourceExhausted if the queue is full even after
  // expired jobs have been refused or if memory is short, Unavailable once closed.
  absl::Status Push(std::shared_ptr<Job> job) ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits for a job that is worth running; refuses on the way those that are not. Empty: closed, and nothing is left.
  std::optional<Next> Pop() ABSL_LOCKS_EXCLUDED(mutex_);

  // Marks the job as cancelled; refuses it at once if it still waits.
  void Cancel(Job& job) ABSL_LOCKS_EXCLUDED(mutex_);

  // No more jobs are taken; those waiting still run.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);

  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Entry {
    std::shared_ptr<Job> job;
    SteadyTime pushed;
  };

  // Moves the jobs whose deadline has passed to `expired`, to be refused when the lock is no longer held.
  void TakeExpired(SteadyTime now, std::vector<std::shared_ptr<Job>>& expired) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Add(std::shared_ptr<Job> job, SteadyTime now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RefuseExpired(const std::vector<std::shared_ptr<Job>>& jobs) const ABSL_LOCKS_EXCLUDED(mutex_);
  void PublishDepth() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const JobQueueOptions options_;
  mutable Mutex mutex_;
  CondVar changed_;                                    // a job was pushed, or the queue closed
  std::deque<Entry> waiting_ ABSL_GUARDED_BY(mutex_);  // in the order in which they are to run
  int64_t published_ ABSL_GUARDED_BY(mutex_) = 0;      // of size(), in *depth
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace rml
