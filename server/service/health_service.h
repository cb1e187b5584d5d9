// grpc.health.v1.Health over a HealthBoard. gRPC's own has no descriptor, so that grpc_cli could not call it.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <functional>
#include <memory>

#include "server/health/health_board.h"

namespace rml {

struct HealthServiceHandle {
  std::unique_ptr<grpc::Service> service;
  std::function<void()> end_watches;  // ends all Watch calls with UNAVAILABLE, also those yet to come
};

// `board` outlives the service and all its calls.
HealthServiceHandle MakeHealthService(HealthBoard& board);

}  // namespace rml
