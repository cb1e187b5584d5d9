#include "server/service/admin_service.h"

#include <string>

#include "engine/base/out_of_memory.h"
#include "rml/v1/inference.grpc.pb.h"
#include "server/service/model_message.h"
#include "server/service/rpc_status.h"

namespace rml {
namespace {

// Calls wait for their turn and their end without a thread; one that is cancelled is carried out all the same.
class AdminService final : public v1::Admin::CallbackService {
 public:
  explicit AdminService(ModelRepository& repository) : repository_(repository) {}

  grpc::ServerUnaryReactor* LoadModel(grpc::CallbackServerContext* context, const v1::LoadModelRequest* request,
                                      v1::LoadModelResponse* response) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    repository_.Load(request->name(), [this, reactor, name = request->name(), response](const absl::Status& status) {
      reactor->Finish(ToRpcStatus(status.ok() ? Describe(name, *response) : status));
    });
    return reactor;
  }

  grpc::ServerUnaryReactor* UnloadModel(grpc::CallbackServerContext* context, const v1::UnloadModelRequest* request,
                                        v1::UnloadModelResponse* /*response*/) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    repository_.Unload(request->name(),
                       [reactor](const absl::Status& status) { reactor->Finish(ToRpcStatus(status)); });
    return reactor;
  }

 private:
  // The versions that are loaded.
  absl::Status Describe(const std::string& name, v1::LoadModelResponse& response) const {
    return CatchOutOfMemory("describing the model", [&] {
      for (const ModelStatus& status : repository_.List()) {
        if (status.name == name && status.state == ModelState::kReady) {
          FillModel(status, Detail::kList, *response.add_models());
        }
      }
      return absl::OkStatus();
    });
  }

  ModelRepository& repository_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeAdminService(ModelRepository& repository) {
  return std::make_unique<AdminService>(repository);
}

}  // namespace rml
