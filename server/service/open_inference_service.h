// inference.GRPCInferenceService over gRPC's callback API: a thin coat around OpenInferenceApi.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "server/service/call_ender.h"
#include "server/service/open_inference_api.h"

namespace rml {

// Streams are in `ender` until their client leaves. The arguments outlive the service and all its calls.
std::unique_ptr<grpc::Service> MakeOpenInferenceService(OpenInferenceApi& api, CallEnder& ender);

}  // namespace rml
