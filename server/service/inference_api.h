// The four methods of rml.v1.Inference, free of gRPC: everything between a parsed message and a filled one.
#pragma once

#include "absl/status/status.h"
#include "rml/v1/inference.pb.h"
#include "server/metrics/registry.h"
#include "server/repository/model_repository.h"
#include "server/service/model_calls.h"

namespace rml {

// Thread-safe. `repository` and `metrics` outlive it and all its calls.
class InferenceApi {
 public:
  InferenceApi(ModelRepository& repository, MetricsRegistry& metrics)
      : repository_(repository), calls_(repository, metrics) {}

  // Start a call. `done` is called exactly once, on a worker's thread or, when nothing is to be computed, on this one
  // before the method returns; the messages stay valid until it is called. deadline: SteadyTime::max() for none.
  PendingCall Run(const v1::RunRequest& request, v1::RunResponse& response, SteadyTime deadline, const Done& done);
  PendingCall Profile(const v1::ProfileRequest& request, v1::ProfileResponse& response, SteadyTime deadline,
                      const Done& done);

  absl::Status ListModels(v1::ListModelsResponse& response);
  absl::Status GetModel(const v1::GetModelRequest& request, v1::GetModelResponse& response);

  // Counts a request that was refused before anything in it could be read.
  void CountUnreadable(Method method) { calls_.CountWithoutModel(method, absl::StatusCode::kInvalidArgument); }

 private:
  ModelRepository& repository_;
  ModelCalls calls_;
};

}  // namespace rml
