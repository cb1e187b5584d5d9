// One inference on its way through a model: from the queue to the filled response, whatever the protocol.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/tensor.h"
#include "server/repository/model_repository.h"
#include "server/scheduler/job.h"
#include "server/service/request_check.h"

namespace rml {

// Called once with the outcome; the messages of the call may be gone when it returns. Does not throw.
using Done = std::function<void(const absl::Status&)>;

// What a run has given.
struct RunResult {
  const ServedModel& model;
  const CheckedRequest& request;
  const std::vector<Tensor>& outputs;  // all of the model's
  std::chrono::nanoseconds queued;
  std::chrono::nanoseconds computed;
};
// Writes it to the response.
using Fill = std::function<void(const RunResult&)>;

struct RunCall {
  ServedModel& model;                   // kept by `done`
  CheckedRequest request;               // what it views outlives the job's last method
  std::chrono::nanoseconds input_time;  // what checking it took
  Fill fill;
  Done done;
};

class RunJob : public Job {
 public:
  RunJob(RunCall call, SteadyTime deadline);

  void Run(int instance, std::chrono::nanoseconds queued) override;
  void Refuse(const absl::Status& why) override { call_.done(why); }

 private:
  absl::Status RunOn(int instance, std::chrono::nanoseconds queued);

  RunCall call_;
};

}  // namespace rml
