// Reflection is gRPC's own service, and a call to it a stream that a client may leave open, as interactive clients do. This
// finds those calls, so that the server can end them when it goes.
#pragma once

#include <grpcpp/support/server_interceptor.h>

#include <memory>

#include "server/service/call_ender.h"

namespace rml {

// Adds each reflection call to `ender` for as long as it can be ended. `ender` outlives the server. Other calls are let pass.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeReflectionCallFinder(CallEnder& ender);

}  // namespace rml
