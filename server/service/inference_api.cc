#include "server/service/inference_api.h"

#include <chrono>
#include <utility>

#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "server/service/model_message.h"
#include "server/service/profile_job.h"
#include "server/service/request_check.h"

namespace rml {

PendingCall InferenceApi::Run(const v1::RunRequest& request, v1::RunResponse& response, SteadyTime deadline,
                              const Done& done) {
  return Start(
      Method::kRun, request, done,
      [&](ServedModel& model, const Done& counted) -> absl::StatusOr<std::shared_ptr<Job>> {
        ASSIGN_OR_RETURN(CheckedRequest checked,
                         CheckRequest(request.inputs(), request.outputs(),
                                      {model.program(), model.loaded().max_rows, model.label()}));
        const std::chrono::nanoseconds default_timeout = model.loaded().options.default_timeout;
        const bool set = deadline == SteadyTime::max() && default_timeout.count() > 0;
        RunCall call{
            .model = model, .request = request, .response = response, .checked = std::move(checked), .done = counted};
        return std::make_shared<RunJob>(std::move(call),
                                        set ? std::chrono::steady_clock::now() + default_timeout : deadline);
      });
}

PendingCall InferenceApi::Profile(const v1::ProfileRequest& request, v1::ProfileResponse& response, SteadyTime deadline,
                                  const Done& done) {
  return Start(Method::kProfile, request, done,
               [&](ServedModel& model, const Done& counted) -> absl::StatusOr<std::shared_ptr<Job>> {
                 ASSIGN_OR_RETURN(ProfilePlan plan, PlanProfile(request, model));
                 return std::make_shared<ProfileJob>(model, std::move(plan), response, counted, deadline);
               });
}

template <typename Request, typename MakeJob>
PendingCall InferenceApi::Start(Method method, const Request& request, const Done& done, const MakeJob& make_job) {
  PendingCall pending;
  // Non-OK: nobody has been told yet. Once `counted` or the queue has the call, nothing throws.
  const absl::Status unanswered = CatchOutOfMemory("taking the call", [&]() -> absl::Status {
    const absl::StatusOr<std::shared_ptr<ServedModel>> found = repository_.Find(request.model(), request.version());
    if (!found.ok()) {
      MetricsFor(request.model(), request.version()).CountRequest(method, found.status().code());
      return found.status();
    }
    ServedModel& model = **found;
    const Done counted = Counted(method, model, done);
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

absl::Status InferenceApi::ListModels(v1::ListModelsResponse& response) {
  const absl::Status status = CatchOutOfMemory("listing the models", [&] {
    for (const ModelStatus& model : repository_.List()) FillModel(model, Detail::kList, *response.add_models());
    return absl::OkStatus();
  });
  metrics_.unknown_model().CountRequest(Method::kListModels, status.code());
  return status;
}

absl::Status InferenceApi::GetModel(const v1::GetModelRequest& request, v1::GetModelResponse& response) {
  return CatchOutOfMemory("describing the model", [&] {
    const absl::StatusOr<ModelStatus> status = repository_.Get(request.name(), request.version());
    if (status.ok()) FillModel(*status, Detail::kFull, *response.mutable_model());
    MetricsFor(request.name(), request.version()).CountRequest(Method::kGetModel, status.status().code());
    return status.status();
  });
}

void InferenceApi::CountUnreadable(Method method) {
  metrics_.unknown_model().CountRequest(method, absl::StatusCode::kInvalidArgument);
}

Done InferenceApi::Counted(Method method, ServedModel& model, Done done) const {
  ModelMetrics& metrics = model.metrics();
  const auto start = std::chrono::steady_clock::now();
  Done counted = [&metrics, method, start, done = std::move(done)](const absl::Status& status) {
    metrics.in_flight.fetch_sub(1, std::memory_order_relaxed);
    metrics.CountRequest(method, status.code());
    if (method == Method::kRun) {
      metrics.request_duration.Observe(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    done(status);
  };
  metrics.in_flight.fetch_add(1, std::memory_order_relaxed);  // last: making `counted` may fail
  return counted;
}

ModelMetrics& InferenceApi::MetricsFor(const std::string& name, int64_t version) {
  const absl::StatusOr<ModelStatus> known = repository_.Get(name, version);
  return known.ok() ? *metrics_.ForModel(known->name, known->version) : metrics_.unknown_model();
}

}  // namespace rml
