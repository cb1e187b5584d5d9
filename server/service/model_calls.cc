#include "server/service/model_calls.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"

namespace rml {
namespace {

// The earliest of the call's deadline and the request's timeout; without either, the model's default.
SteadyTime Deadline(SteadyTime deadline, std::chrono::nanoseconds timeout, std::chrono::nanoseconds default_timeout) {
  const SteadyTime now = std::chrono::steady_clock::now();
  if (timeout.count() > 0) deadline = std::min(deadline, now + timeout);
  if (deadline == SteadyTime::max() && default_timeout.count() > 0) deadline = now + default_timeout;
  return deadline;
}

}  // namespace

PendingCall ModelCalls::Start(const CallTarget& target, const Done& done, MakeJob make_job) {
  PendingCall pending;
  // Non-OK: nobody has been told yet. Once `counted` or the queue has the call, nothing throws.
  const absl::Status unanswered = CatchOutOfMemory("taking the call", [&]() -> absl::Status {
    const absl::StatusOr<std::shared_ptr<ServedModel>> found = repository_.Find(target.model, target.version);
    if (!found.ok()) {
      Count(target, found.status().code());
      return found.status();
    }
    ServedModel& model = **found;
    const Done counted = Counted(target.method, *found, done);
    const absl::Status refused = CatchOutOfMemory(model.label().c_str(), [&]() -> absl::Status {
      ASSIGN_OR_RETURN(const std::shared_ptr<Job> job, make_job(model, counted));
      pending = PendingCall(job, model.queue());
      return model.queue().Push(job);
    });
    if (!refused.ok()) {
      pending = {};
      counted(refused);
    }
    return absl::OkStatus();
  });
  if (!unanswered.ok()) done(unanswered);
  return pending;
}

PendingCall ModelCalls::Run(const CallTarget& target, SteadyTime deadline, Check check, const Fill& fill,
                            const Done& done) {
  return Start(target, done, [&](ServedModel& model, const Done& counted) -> absl::StatusOr<std::shared_ptr<Job>> {
    const auto start = std::chrono::steady_clock::now();
    ASSIGN_OR_RETURN(CheckedRequest request, check(model));
    const SteadyTime until = Deadline(deadline, request.timeout, model.loaded().options.default_timeout);
    return std::make_shared<RunJob>(RunCall{.model = model,
                                            .request = std::move(request),
                                            .input_time = std::chrono::steady_clock::now() - start,
                                            .fill = fill,
                                            .done = counted},
                                    until);
  });
}

void ModelCalls::Count(const CallTarget& target, absl::StatusCode code) {
  const absl::StatusOr<ModelStatus> known = repository_.Get(target.model, target.version);
  ModelMetrics& metrics = known.ok() && known->metrics ? *known->metrics : metrics_.unknown_model();
  metrics.CountRequest(target.method, code);
}

void ModelCalls::CountWithoutModel(Method method, absl::StatusCode code) {
  metrics_.unknown_model().CountRequest(method, code);
}

Done ModelCalls::Counted(Method method, std::shared_ptr<ServedModel> model, Done done) {
  ModelMetrics& of_model = model->metrics();
  const auto start = std::chrono::steady_clock::now();
  Done counted = [model = std::move(model), method, start, done = std::move(done)](const absl::Status& status) {
    ModelMetrics& metrics = model->metrics();
    metrics.in_flight.fetch_sub(1, std::memory_order_relaxed);
    metrics.CountRequest(method, status.code());
    if (IsInference(method)) {
      const std::chrono::nanoseconds duration = std::chrono::steady_clock::now() - start;
      metrics.request_duration.Observe(std::chrono::duration<double>(duration).count());
      metrics.inference.AddRequest(status.ok(), duration);
    }
    done(status);
  };
  of_model.in_flight.fetch_add(1, std::memory_order_relaxed);  // last: making `counted` may fail
  return counted;
}

}  // namespace rml
