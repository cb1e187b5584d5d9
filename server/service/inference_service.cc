#include "server/service/inference_service.h"

#include <grpcpp/impl/codegen/proto_utils.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/base/out_of_memory.h"
#include "rml/v1/inference.grpc.pb.h"
#include "server/service/request_bytes.h"
#include "server/service/rpc_status.h"

namespace rml {
namespace {

// gRPC keeps deadlines by the wall clock; ours count on one that nobody sets. Callers who mean "never" may send one after
// 292 years, which would be in the past when counted in nanoseconds.
SteadyTime Deadline(const grpc::CallbackServerContext& context) {
  constexpr int64_t kCentury = int64_t{100} * 365 * 24 * 3600;
  const gpr_timespec deadline = context.raw_deadline();
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) return SteadyTime::max();
  const gpr_timespec left = gpr_time_sub(deadline, gpr_now(deadline.clock_type));
  return std::chrono::steady_clock::now() + std::chrono::seconds(std::clamp(left.tv_sec, -kCentury, kCentury)) +
         std::chrono::nanoseconds(left.tv_nsec);
}

// A call, from the request's bytes to the answer's. Deletes itself when gRPC is done with it.
template <typename Request, typename Response>
class Call : public grpc::ServerUnaryReactor {
 public:
  explicit Call(grpc::ByteBuffer& answer) : answer_(answer) {}

  const Request& request() const { return request_; }
  Response& response() { return response_; }

  // gRPC keeps the bytes until the call ends, and says const of them; parsed, they are given back at once.
  absl::Status Parse(const grpc::ByteBuffer& bytes) {
    return CatchOutOfMemory("reading the request",
                            [&] { return ParseRequest(const_cast<grpc::ByteBuffer&>(bytes), request_); });
  }
  void Answer(const absl::Status& status) {
    if (!status.ok()) return Finish(ToRpcStatus(status));
    bool owned = false;
    Finish(grpc::SerializationTraits<Response>::Serialize(response_, &answer_, &owned));
  }
  Done done() {
    return [this](const absl::Status& status) { Answer(status); };
  }
  void set_pending(PendingCall pending) { pending_ = std::move(pending); }

  void OnCancel() override { pending_.Cancel(); }
  void OnDone() override { delete this; }

 private:
  Request request_;
  Response response_;
  grpc::ByteBuffer& answer_;  // gRPC's, until OnDone()
  PendingCall pending_;       // written before gRPC is given this object, which is before it calls OnCancel
};

// The methods take bytes instead of messages (request_bytes.h says why).
template <typename Base>
using Raw = v1::Inference::WithRawCallbackMethod_Run<v1::Inference::WithRawCallbackMethod_Profile<
    v1::Inference::WithRawCallbackMethod_ListModels<v1::Inference::WithRawCallbackMethod_GetModel<Base>>>>;

class InferenceService final : public Raw<v1::Inference::Service> {
 public:
  explicit InferenceService(InferenceApi& api) : api_(api) {}

  grpc::ServerUnaryReactor* Run(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                grpc::ByteBuffer* answer) override {
    auto* call = new Call<v1::RunRequest, v1::RunResponse>(*answer);
    if (!Parsed(*call, *request, Method::kRun)) return call;
    call->set_pending(api_.Run(call->request(), call->response(), Deadline(*context), call->done()));
    return call;
  }

  grpc::ServerUnaryReactor* Profile(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* answer) override {
    auto* call = new Call<v1::ProfileRequest, v1::ProfileResponse>(*answer);
    if (!Parsed(*call, *request, Method::kProfile)) return call;
    call->set_pending(api_.Profile(call->request(), call->response(), Deadline(*context), call->done()));
    return call;
  }

  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* /*context*/, const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* answer) override {
    auto* call = new Call<v1::ListModelsRequest, v1::ListModelsResponse>(*answer);
    if (Parsed(*call, *request, Method::kListModels)) call->Answer(api_.ListModels(call->response()));
    return call;
  }

  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* /*context*/, const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* answer) override {
    auto* call = new Call<v1::GetModelRequest, v1::GetModelResponse>(*answer);
    if (Parsed(*call, *request, Method::kGetModel)) call->Answer(api_.GetModel(call->request(), call->response()));
    return call;
  }

 private:
  // False: the call has been answered, its bytes being no request.
  template <typename Request, typename Response>
  bool Parsed(Call<Request, Response>& call, const grpc::ByteBuffer& bytes, Method method) {
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
