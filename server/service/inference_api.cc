#include "server/service/inference_api.h"

#include <chrono>
#include <utility>

#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "server/service/model_message.h"
#include "server/service/profile_job.h"
#include "server/service/run_messages.h"

namespace rml {

PendingCall InferenceApi::Run(const v1::RunRequest& request, v1::RunResponse& response, SteadyTime deadline,
                              const Done& done) {
  return calls_.Run(
      {Method::kRun, request.model(), request.version()}, deadline,
      [&](const ServedModel& model) {
        return CheckRequest(request.inputs(), request.outputs(),
                            {model.program(), model.loaded().max_rows, model.label()});
      },
      [&request, &response](const RunResult& result) { FillResponse(request, result, response); }, done);
}

PendingCall InferenceApi::Profile(const v1::ProfileRequest& request, v1::ProfileResponse& response, SteadyTime deadline,
                                  const Done& done) {
  return calls_.Start({Method::kProfile, request.model(), request.version()}, done,
                      [&](ServedModel& model, const Done& counted) -> absl::StatusOr<std::shared_ptr<Job>> {
                        ASSIGN_OR_RETURN(ProfilePlan plan, PlanProfile(request, model));
                        return std::make_shared<ProfileJob>(model, std::move(plan), response, counted, deadline);
                      });
}

absl::Status InferenceApi::ListModels(v1::ListModelsResponse& response) {
  const absl::Status status = CatchOutOfMemory("listing the models", [&] {
    for (const ModelStatus& model : repository_.List()) FillModel(model, Detail::kList, *response.add_models());
    return absl::OkStatus();
  });
  calls_.CountWithoutModel(Method::kListModels, status.code());
  return status;
}

absl::Status InferenceApi::GetModel(const v1::GetModelRequest& request, v1::GetModelResponse& response) {
  return CatchOutOfMemory("describing the model", [&] {
    const absl::StatusOr<ModelStatus> status = repository_.Get(request.name(), request.version());
    if (status.ok()) FillModel(*status, Detail::kFull, *response.mutable_model());
    calls_.Count({Method::kGetModel, request.name(), request.version()}, status.status().code());
    return status.status();
  });
}

}  // namespace rml
