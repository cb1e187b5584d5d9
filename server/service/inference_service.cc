#include "server/service/inference_service.h"

#include "rml/v1/inference.grpc.pb.h"
#include "server/service/unary_call.h"

namespace rml {
namespace {

// The methods take bytes instead of messages (request_bytes.h says why).
template <typename Base>
using Raw = v1::Inference::WithRawCallbackMethod_Run<v1::Inference::WithRawCallbackMethod_Profile<
    v1::Inference::WithRawCallbackMethod_ListModels<v1::Inference::WithRawCallbackMethod_GetModel<Base>>>>;

class InferenceService final : public Raw<v1::Inference::Service> {
 public:
  explicit InferenceService(InferenceApi& api) : api_(api) {}

  grpc::ServerUnaryReactor* Run(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                grpc::ByteBuffer* answer) override {
    auto* call = new UnaryCall<v1::RunRequest, v1::RunResponse>(*answer);
    if (!Parsed(*call, *request, Method::kRun)) return call;
    call->set_pending(api_.Run(call->request(), call->response(), DeadlineOf(*context), call->done()));
    return call;
  }

  grpc::ServerUnaryReactor* Profile(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* answer) override {
    auto* call = new UnaryCall<v1::ProfileRequest, v1::ProfileResponse>(*answer);
    if (!Parsed(*call, *request, Method::kProfile)) return call;
    call->set_pending(api_.Profile(call->request(), call->response(), DeadlineOf(*context), call->done()));
    return call;
  }

  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* /*context*/, const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* answer) override {
    auto* call = new UnaryCall<v1::ListModelsRequest, v1::ListModelsResponse>(*answer);
    if (Parsed(*call, *request, Method::kListModels)) call->Answer(api_.ListModels(call->response()));
    return call;
  }

  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* /*context*/, const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* answer) override {
    auto* call = new UnaryCall<v1::GetModelRequest, v1::GetModelResponse>(*answer);
    if (Parsed(*call, *request, Method::kGetModel)) call->Answer(api_.GetModel(call->request(), call->response()));
    return call;
  }

 private:
  // False: the call has been answered, its bytes being no request.
  template <typename Request, typename Response>
  bool Parsed(UnaryCall<Request, Response>& call, const grpc::ByteBuffer& bytes, Method method) {
    const absl::Status status = call.Parse(bytes);
    if (status.ok()) return true;
    api_.CountUnreadable(method);
    call.Answer(status);
    return false;
  }

  InferenceApi& api_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeInferenceService(InferenceApi& api) {
  return std::make_unique<InferenceService>(api);
}

}  // namespace rml
