// One Run request on its way through a model: from the queue to the filled response.
#pragma once

#include <chrono>
#include <functional>

#include "absl/status/status.h"
#include "rml/v1/inference.pb.h"
#include "server/repository/model_repository.h"
#include "server/scheduler/job.h"
#include "server/service/request_check.h"

namespace rml {

// Called once with the outcome; the messages of the call may be gone when it returns. Does not throw.
using Done = std::function<void(const absl::Status&)>;

struct RunCall {
  ServedModel& model;             // the repository's: outlives its jobs
  const v1::RunRequest& request;  // both outlive the job's last method
  v1::RunResponse& response;
  CheckedRequest checked;
  Done done;
};

class RunJob : public Job {
 public:
  RunJob(RunCall call, SteadyTime deadline);

  void Run(int instance, std::chrono::nanoseconds queued) override;
  void Refuse(const absl::Status& why) override { call_.done(why); }

 private:
  absl::Status RunOn(int instance, std::chrono::nanoseconds queued);
  void Fill(const std::vector<Tensor>& outputs);

  RunCall call_;
};

}  // namespace rml
