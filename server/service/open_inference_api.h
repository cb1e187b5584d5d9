// The methods of inference.GRPCInferenceService (the Open Inference Protocol with Triton's extensions), free of gRPC.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "inference/grpc_service.pb.h"
#include "server/health/health_board.h"
#include "server/metrics/registry.h"
#include "server/repository/model_repository.h"
#include "server/service/model_calls.h"

namespace rml {

// Thread-safe. What it is made with outlives it and all its calls.
class OpenInferenceApi {
 public:
  // server_version: of the program, for ServerMetadata.
  OpenInferenceApi(ModelRepository& repository, MetricsRegistry& metrics, const HealthBoard& health,
                   std::string server_version)
      : repository_(repository),
        health_(health),
        server_version_(std::move(server_version)),
        calls_(repository, metrics) {}

  absl::Status ServerLive(const inference::ServerLiveRequest& request, inference::ServerLiveResponse& response);
  absl::Status ServerReady(const inference::ServerReadyRequest& request, inference::ServerReadyResponse& response);
  // NotFound for a model that is not known; one that is known and not ready is no error.
  absl::Status ModelReady(const inference::ModelReadyRequest& request, inference::ModelReadyResponse& response);
  absl::Status ServerMetadata(const inference::ServerMetadataRequest& request,
                              inference::ServerMetadataResponse& response);

  // Errors of a model that is not known or not ready as ModelRepository::Find.
  absl::Status ModelMetadata(const inference::ModelMetadataRequest& request,
                             inference::ModelMetadataResponse& response);
  absl::Status ModelConfig(const inference::ModelConfigRequest& request, inference::ModelConfigResponse& response);
  absl::Status ModelStatistics(const inference::ModelStatisticsRequest& request,
                               inference::ModelStatisticsResponse& response);
  absl::Status RepositoryIndex(const inference::RepositoryIndexRequest& request,
                               inference::RepositoryIndexResponse& response);

  // One request, of ModelInfer or of a stream. `done` and the messages as in InferenceApi::Run.
  PendingCall Infer(Method method, const inference::ModelInferRequest& request, inference::ModelInferResponse& response,
                    SteadyTime deadline, const Done& done);

  // Counts a request that was refused before anything in it could be read.
  void CountUnreadable(Method method) { calls_.CountWithoutModel(method, absl::StatusCode::kInvalidArgument); }

 private:
  // Finds the model, lets `use` say what it likes about it, and counts the call.
  absl::Status Describe(Method method, const std::string& model, const std::string& version,
                        absl::FunctionRef<void(ServedModel&)> use);
  // The versions of `name` that are ready; all models' if it is empty.
  std::vector<std::shared_ptr<ServedModel>> Ready(const std::string& name) const;

  ModelRepository& repository_;
  const HealthBoard& health_;
  const std::string server_version_;
  ModelCalls calls_;
};

}  // namespace rml
