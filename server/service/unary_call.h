// A unary call over gRPC's callback API, from the request's bytes to the answer's: what the services have in common.
#pragma once

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "engine/base/out_of_memory.h"
#include "server/service/model_calls.h"
#include "server/service/request_bytes.h"
#include "server/service/rpc_status.h"

namespace rml {

// When the call's time is over, by the clock that jobs go by; SteadyTime::max() if never. gRPC keeps deadlines by the wall
// clock; ours count on one that nobody sets. Callers who mean "never" may send one after 292 years, which would be in the
// past when counted in nanoseconds.
inline SteadyTime DeadlineOf(const grpc::CallbackServerContext& context) {
  constexpr int64_t kCentury = int64_t{100} * 365 * 24 * 3600;
  const gpr_timespec deadline = context.raw_deadline();
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) return SteadyTime::max();
  const gpr_timespec left = gpr_time_sub(deadline, gpr_now(deadline.clock_type));
  return std::chrono::steady_clock::now() + std::chrono::seconds(std::clamp(left.tv_sec, -kCentury, kCentury)) +
         std::chrono::nanoseconds(left.tv_nsec);
}

// Deletes itself when gRPC is done with it.
template <typename Request, typename Response>
class UnaryCall : public grpc::ServerUnaryReactor {
 public:
  explicit UnaryCall(grpc::ByteBuffer& answer) : answer_(answer) {}

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

}  // namespace rml
