#include "server/service/inference_api.h"

#include <chrono>
#include <utility>

#include "server/service/model_message.h"
#include "server/service/profile_job.h"
#include "server/service/request_check.h"

namespace rml {
namespace {

PendingCall Enqueue(std::shared_ptr<Job> job, ServedModel& model, const Done& done) {
  const absl::Status pushed = model.queue().Push(job);
  if (pushed.ok()) return PendingCall(std::move(job), model.queue());
  done(pushed);
  return {};
}

}  // namespace

PendingCall InferenceApi::Run(const v1::RunRequest& request, v1::RunResponse& response, SteadyTime deadline,
                              Done done) {
  const absl::StatusOr<std::shared_ptr<ServedModel>> found = repository_.Find(request.model(), request.version());
  if (!found.ok()) {
    Fail(Method::kRun, request.model(), request.version(), found.status(), done);
    return {};
  }
  ServedModel& model = **found;
  const Done counted = Counted(Method::kRun, model, std::move(done));
  absl::StatusOr<CheckedRequest> checked =
      CheckRequest(request.inputs(), request.outputs(), {model.program(), model.loaded().max_rows, model.label()});
  if (!checked.ok()) {
    counted(checked.status());
    return {};
  }
  const std::chrono::nanoseconds default_timeout = model.loaded().options.default_timeout;
  if (deadline == SteadyTime::max() && default_timeout.count() > 0) {
    deadline = std::chrono::steady_clock::now() + default_timeout;
  }
  RunCall call{
      .model = model, .request = request, .response = response, .checked = *std::move(checked), .done = counted};
  return Enqueue(std::make_shared<RunJob>(std::move(call), deadline), model, counted);
}

PendingCall InferenceApi::Profile(const v1::ProfileRequest& request, v1::ProfileResponse& response, SteadyTime deadline,
                                  Done done) {
  const absl::StatusOr<std::shared_ptr<ServedModel>> found = repository_.Find(request.model(), request.version());
  if (!found.ok()) {
    Fail(Method::kProfile, request.model(), request.version(), found.status(), done);
    return {};
  }
  ServedModel& model = **found;
  const Done counted = Counted(Method::kProfile, model, std::move(done));
  absl::StatusOr<ProfilePlan> plan = PlanProfile(request, model);
  if (!plan.ok()) {
    counted(plan.status());
    return {};
  }
  return Enqueue(std::make_shared<ProfileJob>(model, *std::move(plan), response, counted, deadline), model, counted);
}

absl::Status InferenceApi::ListModels(v1::ListModelsResponse& response) {
  for (const ModelStatus& status : repository_.List()) FillModel(status, Detail::kList, *response.add_models());
  metrics_.unknown_model().CountRequest(Method::kListModels, absl::StatusCode::kOk);
  return absl::OkStatus();
}

absl::Status InferenceApi::GetModel(const v1::GetModelRequest& request, v1::GetModelResponse& response) {
  const absl::StatusOr<ModelStatus> status = repository_.Get(request.name(), request.version());
  MetricsFor(request.name(), request.version()).CountRequest(Method::kGetModel, status.status().code());
  if (!status.ok()) return status.status();
  FillModel(*status, Detail::kFull, *response.mutable_model());
  return absl::OkStatus();
}

void InferenceApi::CountUnreadable(Method method) {
  metrics_.unknown_model().CountRequest(method, absl::StatusCode::kInvalidArgument);
}

Done InferenceApi::Counted(Method method, ServedModel& model, Done done) const {
  ModelMetrics& metrics = model.metrics();
  metrics.in_flight.fetch_add(1, std::memory_order_relaxed);
  const auto start = std::chrono::steady_clock::now();
  return [&metrics, method, start, done = std::move(done)](const absl::Status& status) {
    metrics.in_flight.fetch_sub(1, std::memory_order_relaxed);
    metrics.CountRequest(method, status.code());
    if (method == Method::kRun) {
      metrics.request_duration.Observe(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    done(status);
  };
}

void InferenceApi::Fail(Method method, const std::string& name, int64_t version, const absl::Status& status,
                        const Done& done) {
  MetricsFor(name, version).CountRequest(method, status.code());
  done(status);
}

ModelMetrics& InferenceApi::MetricsFor(const std::string& name, int64_t version) {
  const absl::StatusOr<ModelStatus> known = repository_.Get(name, version);
  return known.ok() ? *metrics_.ForModel(known->name, known->version) : metrics_.unknown_model();
}

}  // namespace rml
