// The only source of the load generator that includes gRPC's client.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <atomic>
#include <utility>

#include "loadtest/transport.h"

namespace rml {
namespace {

struct PreparedRequest {
  std::string method;
  grpc::ByteBuffer bytes;
};

// One call under way; deletes itself when it has ended.
struct Call {
  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
  CallDone done;
};

void End(Call* call, const grpc::Status& status) {
  const std::unique_ptr<Call> owned(call);
  if (!status.ok()) {
    call->done(absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message()), nullptr);
    return;
  }
  grpc::ProtoBufferReader reader(&call->response);
  call->done(absl::OkStatus(), &reader);
}

class Grpc : public Transport {
 public:
  Grpc(const std::string& address, int connections) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);             // a retried call would hide an error
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // otherwise channels share one connection
    for (int i = 0; i < connections; ++i) {
      stubs_.push_back(std::make_unique<grpc::GenericStub>(
          grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments)));
    }
  }

  size_t Prepare(const std::string& method, const std::string& request) override {
    const grpc::Slice slice(request);
    requests_.push_back({method, grpc::ByteBuffer(&slice, 1)});
    return requests_.size() - 1;
  }

  void Start(size_t request, std::chrono::nanoseconds timeout, CallDone done) override {
    const PreparedRequest& prepared = requests_[request];
    auto* call = new Call;
    call->request = prepared.bytes;  // shares the slice
    call->done = std::move(done);
    call->context.set_deadline(std::chrono::system_clock::now() + timeout);
    grpc::GenericStub& stub = *stubs_[next_.fetch_add(1, std::memory_order_relaxed) % stubs_.size()];
    stub.UnaryCall(&call->context, prepared.method, grpc::StubOptions(), &call->request, &call->response,
                   [call](const grpc::Status& status) { End(call, status); });
  }

 private:
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs_;
  std::vector<PreparedRequest> requests_;
  std::atomic<size_t> next_{0};
};

}  // namespace

std::unique_ptr<Transport> GrpcTransport(const std::string& address, int connections) {
  return std::make_unique<Grpc>(address, connections);
}

}  // namespace rml
