#include "server/service/grpc_server.h"

#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "server/service/admin_service.h"
#include "server/service/call_ender.h"
#include "server/service/health_service.h"
#include "server/service/inference_service.h"
#include "server/service/open_inference_service.h"
#include "server/service/open_streams.h"
#include "server/service/reflection_calls.h"

namespace rml {
namespace {

// A second is a long way to a client and back, and short beside what an orchestrator allows for the exit.
constexpr absl::Duration kIdlePoll = absl::Milliseconds(250);
constexpr int kIdlePolls = 4;

// gRPC writes to standard error past our log, also what comes back as an error and is logged by whoever handles it.
void SilenceUnlessAsked() {
  if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
}

}  // namespace

struct GrpcServer::Impl {
  // Ends the connections of a server that shuts down when no stream has been open for a while: by then every client that is
  // there has acknowledged the GOAWAY, and no request of its is on the way. gRPC itself waits 20 s for the others: for
  // machines that went down, and whoever opened a connection and never spoke.
  void HangUpWhenIdle(const absl::Notification& shut_down) {
    for (int idle = 0; !shut_down.WaitForNotificationWithTimeout(kIdlePoll);) {
      idle = OpenStreams() == 0 ? idle + 1 : 0;
      if (idle == kIdlePolls) return grpc_server_cancel_all_calls(server->c_server());
    }
  }

  CallEnder endless_calls;
  std::unique_ptr<grpc::Service> inference;
  std::unique_ptr<grpc::Service> open_inference;
  std::unique_ptr<grpc::Service> admin;
  std::unique_ptr<grpc::Service> health;
  std::unique_ptr<grpc::Server> server;
  int port = 0;
};

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const GrpcServerOptions& options, const GrpcApis& apis,
                                                              HealthBoard& board) {
  SilenceUnlessAsked();
  grpc::EnableDefaultHealthCheckService(false);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();  // before the builder is made
  auto impl = std::make_unique<Impl>();
  impl->inference = MakeInferenceService(apis.inference);
  impl->open_inference = MakeOpenInferenceService(apis.open_inference, impl->endless_calls);
  impl->admin = MakeAdminService(apis.repository);
  impl->health = MakeHealthService(board, impl->endless_calls);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(absl::StrFormat("%s:%d", options.host, options.port), grpc::InsecureServerCredentials(),
                           &impl->port);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // with it two servers would share a port and neither notice
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_message_bytes));
  builder.SetMaxSendMessageSize(-1);
  // gRPC unpacks a message before it looks at the size: 64 MiB of gzip may stand for 64 GiB of zeros.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.RegisterService(impl->inference.get());
  builder.RegisterService(impl->open_inference.get());
  builder.RegisterService(impl->admin.get());
  builder.RegisterService(impl->health.get());
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(MakeReflectionCallFinder(impl->endless_calls));
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  impl->server = builder.BuildAndStart();
  if (!impl->server || impl->port == 0) {
    return absl::UnavailableError(
        absl::StrFormat("gRPC: cannot listen on %s:%d; is the port taken, or the address not of this machine?",
                        options.host, options.port));
  }
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(impl)));
}

GrpcServer::GrpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GrpcServer::~GrpcServer() = default;

int GrpcServer::port() const { return impl_->port; }

void GrpcServer::Shutdown(std::chrono::nanoseconds patience) {
  impl_->endless_calls.EndAll();
  absl::Notification shut_down;
  std::thread hang_up([&] { impl_->HangUpWhenIdle(shut_down); });
  impl_->server->Shutdown(std::chrono::system_clock::now() +
                          std::chrono::duration_cast<std::chrono::system_clock::duration>(patience));
  impl_->server->Wait();
  shut_down.Notify();
  hang_up.join();
}

}  // namespace rml
