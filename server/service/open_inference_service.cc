#include "server/service/open_inference_service.h"

#include <optional>

#include "inference/grpc_service.grpc.pb.h"
#include "server/service/infer_stream.h"
#include "server/service/unary_call.h"

namespace rml {
namespace {

using grpc::ByteBuffer;
using grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;
using Protocol = inference::GRPCInferenceService;

// The methods take bytes instead of messages (request_bytes.h says why).
template <typename Base>
using RawServer = Protocol::WithRawCallbackMethod_ServerLive<
    Protocol::WithRawCallbackMethod_ServerReady<Protocol::WithRawCallbackMethod_ServerMetadata<Base>>>;
template <typename Base>
using RawModel = Protocol::WithRawCallbackMethod_ModelReady<
    Protocol::WithRawCallbackMethod_ModelMetadata<Protocol::WithRawCallbackMethod_ModelConfig<
        Protocol::WithRawCallbackMethod_ModelStatistics<Protocol::WithRawCallbackMethod_RepositoryIndex<Base>>>>>;
template <typename Base>
using RawInfer = Protocol::WithRawCallbackMethod_ModelInfer<Protocol::WithRawCallbackMethod_ModelStreamInfer<Base>>;

class OpenInferenceService final : public RawServer<RawModel<RawInfer<Protocol::Service>>> {
 public:
  OpenInferenceService(OpenInferenceApi& api, CallEnder& ender) : api_(api), ender_(ender) {}

  ServerUnaryReactor* ServerLive(CallbackServerContext* /*context*/, const ByteBuffer* request,
                                 ByteBuffer* answer) override {
    return Answer(*request, *answer, std::nullopt, &OpenInferenceApi::ServerLive);
  }
  ServerUnaryReactor* ServerReady(CallbackServerContext* /*context*/, const ByteBuffer* request,
                                  ByteBuffer* answer) override {
    return Answer(*request, *answer, std::nullopt, &OpenInferenceApi::ServerReady);
  }
  ServerUnaryReactor* ServerMetadata(CallbackServerContext* /*context*/, const ByteBuffer* request,
                                     ByteBuffer* answer) override {
    return Answer(*request, *answer, std::nullopt, &OpenInferenceApi::ServerMetadata);
  }
  ServerUnaryReactor* ModelReady(CallbackServerContext* /*context*/, const ByteBuffer* request,
                                 ByteBuffer* answer) override {
    return Answer(*request, *answer, std::nullopt, &OpenInferenceApi::ModelReady);
  }
  ServerUnaryReactor* ModelMetadata(CallbackServerContext* /*context*/, const ByteBuffer* request,
                                    ByteBuffer* answer) override {
    return Answer(*request, *answer, Method::kModelMetadata, &OpenInferenceApi::ModelMetadata);
  }
  ServerUnaryReactor* ModelConfig(CallbackServerContext* /*context*/, const ByteBuffer* request,
                                  ByteBuffer* answer) override {
    return Answer(*request, *answer, Method::kModelConfig, &OpenInferenceApi::ModelConfig);
  }
  ServerUnaryReactor* ModelStatistics(CallbackServerContext* /*context*/, const ByteBuffer* request,
                                      ByteBuffer* answer) override {
    return Answer(*request, *answer, Method::kModelStatistics, &OpenInferenceApi::ModelStatistics);
  }
  ServerUnaryReactor* RepositoryIndex(CallbackServerContext* /*context*/, const ByteBuffer* request,
                                      ByteBuffer* answer) override {
    return Answer(*request, *answer, Method::kRepositoryIndex, &OpenInferenceApi::RepositoryIndex);
  }

  ServerUnaryReactor* ModelInfer(CallbackServerContext* context, const ByteBuffer* request,
                                 ByteBuffer* answer) override {
    auto* call = new UnaryCall<inference::ModelInferRequest, inference::ModelInferResponse>(*answer);
    if (!Parsed(*call, *request, Method::kModelInfer)) return call;
    call->set_pending(
        api_.Infer(Method::kModelInfer, call->request(), call->response(), DeadlineOf(*context), call->done()));
    return call;
  }

  grpc::ServerBidiReactor<ByteBuffer, ByteBuffer>* ModelStreamInfer(CallbackServerContext* context) override {
    return NewInferStream(api_, DeadlineOf(*context), ender_);
  }

 private:
  // False: the call has been answered, its bytes being no request. Without a method it is not counted.
  template <typename Call>
  bool Parsed(Call& call, const ByteBuffer& bytes, std::optional<Method> method) {
    const absl::Status status = call.Parse(bytes);
    if (status.ok()) return true;
    if (method) api_.CountUnreadable(*method);
    call.Answer(status);
    return false;
  }

  // A call that is answered at once.
  template <typename Request, typename Response>
  ServerUnaryReactor* Answer(const ByteBuffer& bytes, ByteBuffer& answer, std::optional<Method> method,
                             absl::Status (OpenInferenceApi::*ask)(const Request&, Response&)) {
    auto* call = new UnaryCall<Request, Response>(answer);
    if (Parsed(*call, bytes, method)) call->Answer((api_.*ask)(call->request(), call->response()));
    return call;
  }

  OpenInferenceApi& api_;
  CallEnder& ender_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeOpenInferenceService(OpenInferenceApi& api, CallEnder& ender) {
  return std::make_unique<OpenInferenceService>(api, ender);
}

}  // namespace rml
