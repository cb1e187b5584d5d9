// The only source of the load generator that includes gRPC's client.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "loadtest/transport.h"

namespace rml {
namespace {

struct PreparedRequest {
  std::string method;
  grpc::ByteBuffer bytes;
};

// A call's context holds its channel, and a channel must not go on one of gRPC's own threads, which it would wait for. So
// the transport outlives its calls, and each call's end is told when nothing of it is left.
class OpenCalls {
 public:
  void Add(int64_t calls) {
    const absl::MutexLock lock(&mutex_);
    count_ += calls;
  }

  void WaitForNone() {
    const absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(+[](int64_t* count) { return *count == 0; }, &count_));
  }

 private:
  absl::Mutex mutex_;
  int64_t count_ ABSL_GUARDED_BY(mutex_) = 0;
};

// One call under way.
struct Call {
  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
  CallDone done;
};

void HandOver(Call& call, const grpc::Status& status) {
  if (!status.ok()) {
    call.done(absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message()), nullptr);
    return;
  }
  grpc::ProtoBufferReader reader(&call.response);
  call.done(absl::OkStatus(), &reader);
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

  ~Grpc() override { open_->WaitForNone(); }

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
    open_->Add(1);
    stub.UnaryCall(&call->context, prepared.method, grpc::StubOptions(), &call->request, &call->response,
                   [call, open = open_](const grpc::Status& status) {
                     HandOver(*call, status);
                     delete call;
                     open->Add(-1);
                   });
  }

 private:
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs_;
  std::vector<PreparedRequest> requests_;
  std::atomic<size_t> next_{0};
  const std::shared_ptr<OpenCalls> open_ = std::make_shared<OpenCalls>();
};

}  // namespace

std::unique_ptr<Transport> GrpcTransport(const std::string& address, int connections) {
  return std::make_unique<Grpc>(address, connections);
}

}  // namespace rml
