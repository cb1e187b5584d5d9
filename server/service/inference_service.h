// rml.v1.Inference over gRPC's callback API: a thin coat around InferenceApi.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "server/service/inference_api.h"

namespace rml {

// `api` outlives the service and all its calls.
std::unique_ptr<grpc::Service> MakeInferenceService(InferenceApi& api);

}  // namespace rml
