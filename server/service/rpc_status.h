// From our errors to those of gRPC.
#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace rml {

// The same code; the message cut to less than 1 KiB; a BadRequest payload as google.rpc.Status in the details.
grpc::Status ToRpcStatus(const absl::Status& status);

}  // namespace rml
