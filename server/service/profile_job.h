// One Profile request: several timed runs on one of the model's instances.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rml/v1/inference.pb.h"
#include "server/repository/model_repository.h"
#include "server/scheduler/job.h"
#include "server/service/request_check.h"
#include "server/service/run_job.h"

namespace rml {

inline constexpr int kDefaultProfileIterations = 10;
inline constexpr int kMaxProfileIterations = 10000;

// A checked Profile request. `inputs` view the request, the model's golden file, or `zeros`.
struct ProfilePlan {
  CheckedRequest checked;
  std::vector<Tensor> zeros;
  std::vector<ConstTensorView> inputs;
  int64_t rows = 1;
  int iterations = kDefaultProfileIterations;
  int threads = 1;
  v1::ProfileSource source = v1::ZEROS;
};

// Errors: InvalidArgument with everything that is wrong (iterations, threads, rows, source, and inputs as CheckRequest);
// FailedPrecondition if golden inputs are asked for and the model has none.
absl::StatusOr<ProfilePlan> PlanProfile(const v1::ProfileRequest& request, const ServedModel& model);

class ProfileJob : public Job {
 public:
  // The arguments outlive the job's last method.
  ProfileJob(ServedModel& model, ProfilePlan plan, v1::ProfileResponse& response, Done done, SteadyTime deadline);

  void Run(int instance, std::chrono::nanoseconds queued) override;
  void Refuse(const absl::Status& why) override { done_(why); }

 private:
  absl::Status ProfileOn(ModelInstance& own);
  absl::Status Profile(Executor& executor, std::vector<Tensor>& outputs);

  ServedModel& model_;
  ProfilePlan plan_;
  v1::ProfileResponse& response_;
  Done done_;
};

}  // namespace rml
