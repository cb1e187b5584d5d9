// Calls of models, from the name to the queue, counted: what all protocols have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "server/metrics/registry.h"
#include "server/repository/model_repository.h"
#include "server/service/request_check.h"
#include "server/service/run_job.h"

namespace rml {

// A call that has not been answered, or an empty one.
class PendingCall {
 public:
  PendingCall() = default;
  PendingCall(const std::shared_ptr<Job>& job, JobQueue& queue) : job_(job), queue_(&queue) {}
  // The caller has gone: a waiting job is refused at once, a running one stops at its next step. Harmless when the call
  // has been answered meanwhile.
  void Cancel() {
    if (const std::shared_ptr<Job> job = job_.lock()) queue_->Cancel(*job);
  }

 private:
  std::weak_ptr<Job> job_;     // weak: a call that waits for its client to take the answer keeps no model loaded
  JobQueue* queue_ = nullptr;  // there as long as the job, which keeps its model
};

// Which model a call is for, and how it is counted.
struct CallTarget {
  Method method;
  const std::string& model;
  int64_t version;  // 0: the highest that is ready
};

// Thread-safe. `repository` and `metrics` outlive it and all its calls.
class ModelCalls {
 public:
  using MakeJob = absl::FunctionRef<absl::StatusOr<std::shared_ptr<Job>>(ServedModel&, const Done& counted)>;
  using Check = absl::FunctionRef<absl::StatusOr<CheckedRequest>(const ServedModel&)>;

  ModelCalls(ModelRepository& repository, MetricsRegistry& metrics) : repository_(repository), metrics_(metrics) {}

  // Queues the job that `make_job` returns, or answers with what went wrong. `done` is called exactly once, on a worker's
  // thread or, when nothing is to be computed, on this one before the method returns.
  PendingCall Start(const CallTarget& target, const Done& done, MakeJob make_job);

  // Start() of one run of the model on what `check` makes of the request. A call without any deadline gets the model's
  // default. deadline: SteadyTime::max() for none.
  PendingCall Run(const CallTarget& target, SteadyTime deadline, Check check, const Fill& fill, const Done& done);

  // Counts a call that was answered without a job; of a model that is known, or of none.
  void Count(const CallTarget& target, absl::StatusCode code);
  void CountWithoutModel(Method method, absl::StatusCode code);

 private:
  // `done` with the counting before it. Keeps the model.
  static Done Counted(Method method, std::shared_ptr<ServedModel> model, Done done);

  ModelRepository& repository_;
  MetricsRegistry& metrics_;
};

}  // namespace rml
