// rml.v1.Admin: models loaded and unloaded on request.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "server/repository/model_repository.h"

namespace rml {

// `repository` outlives the service and all its calls.
std::unique_ptr<grpc::Service> MakeAdminService(ModelRepository& repository);

}  // namespace rml
