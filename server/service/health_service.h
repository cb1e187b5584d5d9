// grpc.health.v1.Health over a HealthBoard. gRPC's own has no descriptor, so that grpc_cli could not call it.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "server/health/health_board.h"
#include "server/service/call_ender.h"

namespace rml {

// Watch calls are in `ender` until their client leaves. `board` and `ender` outlive the service and all its calls.
std::unique_ptr<grpc::Service> MakeHealthService(HealthBoard& board, CallEnder& ender);

}  // namespace rml
