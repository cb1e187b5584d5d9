#include "server/service/open_inference_api.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "engine/graph/quoted.h"
#include "server/service/infer_messages.h"
#include "server/service/model_description.h"
#include "server/service/problems.h"

namespace rml {
namespace {

const char* StateName(ModelState state) {
  switch (state) {
    case ModelState::kReady:
      return "READY";
    case ModelState::kLoading:
      return "LOADING";
    case ModelState::kUnloading:
      return "UNLOADING";
    case ModelState::kUnloaded:
    case ModelState::kFailed:
      break;
  }
  return "UNAVAILABLE";
}

}  // namespace

absl::Status OpenInferenceApi::ServerLive(const inference::ServerLiveRequest& /*request*/,
                                          inference::ServerLiveResponse& response) {
  response.set_live(true);
  return absl::OkStatus();
}

absl::Status OpenInferenceApi::ServerReady(const inference::ServerReadyRequest& /*request*/,
                                           inference::ServerReadyResponse& response) {
  response.set_ready(health_.Get("") == Serving::kServing);
  return absl::OkStatus();
}

absl::Status OpenInferenceApi::ModelReady(const inference::ModelReadyRequest& request,
                                          inference::ModelReadyResponse& response) {
  return CatchOutOfMemory("asking for the model", [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const int64_t version, ParseVersion(request.name(), request.version()));
    ASSIGN_OR_RETURN(const ModelStatus status, repository_.Get(request.name(), version));
    // Health knows of a server that shuts down.
    response.set_ready(status.state == ModelState::kReady && health_.Get(status.name) == Serving::kServing);
    return absl::OkStatus();
  });
}

absl::Status OpenInferenceApi::ServerMetadata(const inference::ServerMetadataRequest& /*request*/,
                                              inference::ServerMetadataResponse& response) {
  response.set_name("rml");
  response.set_version(server_version_);
  // Not model_repository: that promises loading and unloading by request.
  for (const char* extension : {"model_configuration", "statistics", "schedule_policy"}) {
    response.add_extensions(extension);
  }
  return absl::OkStatus();
}

absl::Status OpenInferenceApi::Describe(Method method, const std::string& model, const std::string& version,
                                        absl::FunctionRef<void(ServedModel&)> use) {
  return CatchOutOfMemory("describing the model", [&]() -> absl::Status {
    const absl::StatusOr<int64_t> number = ParseVersion(model, version);
    if (!number.ok()) {
      calls_.CountWithoutModel(method, number.status().code());
      return number.status();
    }
    const absl::StatusOr<std::shared_ptr<ServedModel>> found = repository_.Find(model, *number);
    if (found.ok()) use(**found);
    calls_.Count({method, model, *number}, found.status().code());
    return found.status();
  });
}

std::vector<std::shared_ptr<ServedModel>> OpenInferenceApi::Ready(const std::string& name) const {
  std::vector<std::shared_ptr<ServedModel>> ready;
  for (const ModelStatus& status : repository_.List()) {
    if (status.served && (name.empty() || status.name == name)) ready.push_back(status.served);
  }
  return ready;
}

absl::Status OpenInferenceApi::ModelMetadata(const inference::ModelMetadataRequest& request,
                                             inference::ModelMetadataResponse& response) {
  return Describe(Method::kModelMetadata, request.name(), request.version(), [&](const ServedModel& model) {
    FillMetadata(model, response);
    for (const auto& version : Ready(model.name())) response.add_versions(absl::StrCat(version->version()));
  });
}

absl::Status OpenInferenceApi::ModelConfig(const inference::ModelConfigRequest& request,
                                           inference::ModelConfigResponse& response) {
  return Describe(Method::kModelConfig, request.name(), request.version(),
                  [&](const ServedModel& model) { FillConfig(model, *response.mutable_config()); });
}

absl::Status OpenInferenceApi::ModelStatistics(const inference::ModelStatisticsRequest& request,
                                               inference::ModelStatisticsResponse& response) {
  if (!request.name().empty()) {
    return Describe(Method::kModelStatistics, request.name(), request.version(), [&](ServedModel& model) {
      if (!request.version().empty()) return FillStatistics(model, *response.add_model_stats());
      for (const auto& version : Ready(model.name())) FillStatistics(*version, *response.add_model_stats());
    });
  }
  const absl::Status status = CatchOutOfMemory("listing the models", [&] {
    for (const auto& model : Ready("")) FillStatistics(*model, *response.add_model_stats());
    return absl::OkStatus();
  });
  calls_.CountWithoutModel(Method::kModelStatistics, status.code());
  return status;
}

absl::Status OpenInferenceApi::RepositoryIndex(const inference::RepositoryIndexRequest& request,
                                               inference::RepositoryIndexResponse& response) {
  const absl::Status status = CatchOutOfMemory("listing the models", [&]() -> absl::Status {
    if (!request.repository_name().empty()) {
      return absl::NotFoundError(absl::StrFormat("there is no repository %s; the only one of this server has no name",
                                                 Quoted(request.repository_name())));
    }
    for (const ModelStatus& model : repository_.List()) {
      if (request.ready() && model.state != ModelState::kReady) continue;
      auto& index = *response.add_models();
      index.set_name(model.name);
      if (model.version != 0) index.set_version(absl::StrCat(model.version));
      index.set_state(StateName(model.state));
      index.set_reason(Cut(model.reason, kMaxMessageBytes));
    }
    return absl::OkStatus();
  });
  calls_.CountWithoutModel(Method::kRepositoryIndex, status.code());
  return status;
}

PendingCall OpenInferenceApi::Infer(Method method, const inference::ModelInferRequest& request,
                                    inference::ModelInferResponse& response, SteadyTime deadline, const Done& done) {
  const absl::StatusOr<int64_t> version = CatchOutOfMemory("reading the version", [&] {
    return ParseVersion(request.model_name(), request.model_version(), "model_version");
  });
  if (!version.ok()) {
    calls_.CountWithoutModel(method, version.status().code());
    done(version.status());
    return {};
  }
  return calls_.Run(
      {method, request.model_name(), *version}, deadline,
      [&](const ServedModel& model) {
        return CheckInferRequest(request, {model.program(), model.loaded().max_rows, model.label()});
      },
      [&request, &response](const RunResult& result) { FillInferResponse(request, result, response); }, done);
}

}  // namespace rml
