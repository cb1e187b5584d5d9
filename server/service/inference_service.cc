#include "server/service/inference_service.h"

#include <chrono>

#include "rml/v1/inference.grpc.pb.h"
#include "server/service/rpc_status.h"

namespace rml {
namespace {

// gRPC keeps deadlines by the wall clock; ours count on one that nobody sets.
SteadyTime Deadline(const grpc::CallbackServerContext& context) {
  const auto deadline = context.deadline();
  if (deadline == std::chrono::system_clock::time_point::max()) return SteadyTime::max();
  return std::chrono::steady_clock::now() + (deadline - std::chrono::system_clock::now());
}

// A call that a worker answers. Deletes itself when gRPC is done with it.
class Call : public grpc::ServerUnaryReactor {
 public:
  Done done() {
    return [this](const absl::Status& status) { Finish(ToRpcStatus(status)); };
  }
  void set_pending(PendingCall pending) { pending_ = std::move(pending); }

  void OnCancel() override { pending_.Cancel(); }
  void OnDone() override { delete this; }

 private:
  PendingCall pending_;  // written before gRPC is given this object, which is before it calls OnCancel
};

class InferenceService final : public v1::Inference::CallbackService {
 public:
  explicit InferenceService(InferenceApi& api) : api_(api) {}

  grpc::ServerUnaryReactor* Run(grpc::CallbackServerContext* context, const v1::RunRequest* request,
                                v1::RunResponse* response) override {
    auto* call = new Call;
    call->set_pending(api_.Run(*request, *response, Deadline(*context), call->done()));
    return call;
  }

  grpc::ServerUnaryReactor* Profile(grpc::CallbackServerContext* context, const v1::ProfileRequest* request,
                                    v1::ProfileResponse* response) override {
    auto* call = new Call;
    call->set_pending(api_.Profile(*request, *response, Deadline(*context), call->done()));
    return call;
  }

  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* context, const v1::ListModelsRequest* /*request*/,
                                       v1::ListModelsResponse* response) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(ToRpcStatus(api_.ListModels(*response)));
    return reactor;
  }

  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* context, const v1::GetModelRequest* request,
                                     v1::GetModelResponse* response) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(ToRpcStatus(api_.GetModel(*request, *response)));
    return reactor;
  }

 private:
  InferenceApi& api_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeInferenceService(InferenceApi& api) {
  return std::make_unique<InferenceService>(api);
}

}  // namespace rml
