// A job that writes down what became of it.
#pragma once

#include <optional>

#include "absl/synchronization/notification.h"
#include "server/scheduler/job.h"

namespace rml {

class RecordedJob : public Job {
 public:
  explicit RecordedJob(SteadyTime deadline = SteadyTime::max()) : Job(deadline) {}

  void Run(int instance, std::chrono::nanoseconds queued) override {
    ran_on = instance;
    waited = queued;
    started.Notify();
    if (gate != nullptr) gate->WaitForNotification();
    ended.Notify();
  }
  void Refuse(const absl::Status& why) override {
    refused = why;
    ended.Notify();
  }

  absl::Notification* gate = nullptr;  // Run() stays until it is notified
  absl::Notification started;
  absl::Notification ended;  // the fields below may be read
  std::optional<int> ran_on;
  std::optional<absl::Status> refused;
  std::chrono::nanoseconds waited{0};
};

}  // namespace rml
