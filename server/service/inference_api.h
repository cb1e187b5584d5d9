// The four methods of rml.v1.Inference, free of gRPC: everything between a parsed message and a filled one.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "rml/v1/inference.pb.h"
#include "server/metrics/registry.h"
#include "server/repository/model_repository.h"
#include "server/service/run_job.h"

namespace rml {

// A Run or Profile call that has not been answered, or an empty one.
class PendingCall {
 public:
  PendingCall() = default;
  PendingCall(std::shared_ptr<Job> job, JobQueue& queue) : job_(std::move(job)), queue_(&queue) {}
  // The caller has gone: a waiting job is refused at once, a running one stops at its next step. Harmless when the call
  // has been answered meanwhile. Requires that the repository is still there.
  void Cancel() {
    if (job_) queue_->Cancel(*job_);
  }

 private:
  std::shared_ptr<Job> job_;
  JobQueue* queue_ = nullptr;
};

// Thread-safe. `repository` and `metrics` outlive it and all its calls.
class InferenceApi {
 public:
  InferenceApi(ModelRepository& repository, MetricsRegistry& metrics) : repository_(repository), metrics_(metrics) {}

  // Start a call. `done` is called exactly once, on a worker's thread or, when nothing is to be computed, on this one
  // before the method returns; the messages stay valid until it is called. deadline: SteadyTime::max() for none.
  PendingCall Run(const v1::RunRequest& request, v1::RunResponse& response, SteadyTime deadline, const Done& done);
  PendingCall Profile(const v1::ProfileRequest& request, v1::ProfileResponse& response, SteadyTime deadline,
                      const Done& done);

  absl::Status ListModels(v1::ListModelsResponse& response);
  absl::Status GetModel(const v1::GetModelRequest& request, v1::GetModelResponse& response);

  // Counts a request that was refused before anything in it could be read.
  void CountUnreadable(Method method);

 private:
  // Queues the job that make_job(model, counted) returns, or answers with what went wrong.
  template <typename Request, typename MakeJob>
  PendingCall Start(Method method, const Request& request, const Done& done, const MakeJob& make_job);
  // `done` with the counting before it.
  Done Counted(Method method, ServedModel& model, Done done) const;
  ModelMetrics& MetricsFor(const std::string& name, int64_t version);

  ModelRepository& repository_;
  MetricsRegistry& metrics_;
};

}  // namespace rml
