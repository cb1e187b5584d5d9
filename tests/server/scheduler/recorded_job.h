// A job that writes down what became of it.
#pragma once

#include <latch>
#include <optional>

#include "server/scheduler/job.h"

namespace rml {

class RecordedJob : public Job {
 public:
  explicit RecordedJob(SteadyTime deadline = SteadyTime::max(), int priority = kDefaultPriority)
      : Job(deadline, priority) {}

  void Run(int instance, std::chrono::nanoseconds queued) override {
    ran_on = instance;
    waited = queued;
    started.count_down();
    if (gate != nullptr) gate->wait();
    ended.count_down();
  }
  void Refuse(const absl::Status& why) override {
    refused = why;
    ended.count_down();
  }

  std::latch* gate = nullptr;  // Run() stays until it is released
  std::latch started{1};
  std::latch ended{1};  // the fields below may be read
  std::optional<int> ran_on;
  std::optional<absl::Status> refused;
  std::chrono::nanoseconds waited{0};
};

}  // namespace rml
