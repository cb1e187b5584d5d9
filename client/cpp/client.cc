#include "client/cpp/client.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/cpp/address.h"
#include "client/cpp/tensor_message.h"
#include "engine/base/status_macros.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "rml/v1/inference.grpc.pb.h"

namespace rml {
namespace {

using Clock = std::chrono::steady_clock;

absl::Status FromRpcStatus(const grpc::Status& status) {
  // A call that meets a server in the act of shutting down is reset before it begins, and reported so. Nothing here cancels
  // calls, and our server says more than the bare word when it does.
  if (status.error_code() == grpc::StatusCode::CANCELLED && status.error_message() == "CANCELLED") {
    return absl::UnavailableError("the server is shutting down");
  }
  return {static_cast<absl::StatusCode>(status.error_code()), status.error_message()};
}

// Ten years: what callers who mean "never" give would not fit in clocks that count nanoseconds.
constexpr std::chrono::milliseconds kLongestTimeout = std::chrono::hours(24 * 365 * 10);

grpc::ChannelArguments ChannelArguments() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);        // the server bounds what it sends
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);  // ours only, so that their number is what RetryPolicy says
  // gRPC by itself waits a second before it connects again, longer than the retries last.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  // How long one attempt to connect may take, whatever the name says: far servers and busy ones need a while.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  return arguments;
}

}  // namespace

struct Client::Impl {
  Impl(const std::string& to, const ClientOptions& client_options)
      : address(to),
        options(client_options),
        channel(grpc::CreateCustomChannel(to, grpc::InsecureChannelCredentials(), ChannelArguments())),
        inference(v1::Inference::NewStub(channel)),
        health(grpc::health::v1::Health::NewStub(channel)) {}

  // One unary call with deadline and retries. `method` is a member function of the stub.
  template <typename Stub, typename Request, typename Response>
  absl::Status Call(Stub& stub, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, const CallOptions& call, Response& response) const {
    const std::chrono::milliseconds timeout =
        std::min(call.timeout.count() > 0 ? call.timeout : options.timeout, kLongestTimeout);
    const Clock::time_point deadline = Clock::now() + timeout;
    absl::Status status = CallWithRetries(options.retry, deadline, RetryClock::System(), [&] {
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + (deadline - Clock::now()));
      response.Clear();
      return FromRpcStatus((stub.*method)(&context, request, &response));
    });
    // gRPC's own words say neither who nor what.
    if (absl::IsDeadlineExceeded(status) && status.message() == "Deadline Exceeded") {
      return absl::DeadlineExceededError(absl::StrFormat("%s: no answer within %g s", address, timeout.count() * 1e-3));
    }
    return absl::IsUnavailable(status) ? Annotate(status, address) : status;
  }

  const std::string address;
  const ClientOptions options;
  const std::shared_ptr<grpc::Channel> channel;
  const std::unique_ptr<v1::Inference::Stub> inference;
  const std::unique_ptr<grpc::health::v1::Health::Stub> health;
};

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(const std::string& address, const ClientOptions& options) {
  ASSIGN_OR_RETURN(const std::string with_port, WithPort(address));
  return std::unique_ptr<Client>(new Client(std::make_unique<Impl>(with_port, options)));
}

absl::StatusOr<RunResult> Client::Run(const RunCall& call, const CallOptions& options) {
  v1::RunRequest request;
  request.set_model(call.model);
  request.set_version(call.version);
  request.set_request_id(call.request_id);
  for (const InputTensor& input : call.inputs) ToMessage(input.name, input.tensor, *request.add_inputs());
  for (const std::string& output : call.outputs) request.add_outputs(output);
  v1::RunResponse response;
  RETURN_IF_ERROR(impl_->Call(*impl_->inference, &v1::Inference::Stub::Run, request, options, response));
  RunResult result{.version = response.version(),
                   .outputs = {},
                   .queue_seconds = response.timing().queue_seconds(),
                   .compute_seconds = response.timing().compute_seconds()};
  for (const v1::Tensor& output : response.outputs()) {
    ASSIGN_OR_RETURN(Tensor tensor, Annotate(FromMessage(output), "the server's response"));
    result.outputs.push_back({output.name(), std::move(tensor)});
  }
  return result;
}

absl::StatusOr<v1::ProfileResponse> Client::Profile(const v1::ProfileRequest& request, const CallOptions& options) {
  v1::ProfileResponse response;
  RETURN_IF_ERROR(impl_->Call(*impl_->inference, &v1::Inference::Stub::Profile, request, options, response));
  return response;
}

absl::StatusOr<std::vector<v1::Model>> Client::ListModels(const CallOptions& options) {
  v1::ListModelsResponse response;
  RETURN_IF_ERROR(
      impl_->Call(*impl_->inference, &v1::Inference::Stub::ListModels, v1::ListModelsRequest(), options, response));
  return std::vector<v1::Model>(response.models().begin(), response.models().end());
}

absl::StatusOr<v1::Model> Client::GetModel(const std::string& name, int64_t version, const CallOptions& options) {
  v1::GetModelRequest request;
  request.set_name(name);
  request.set_version(version);
  v1::GetModelResponse response;
  RETURN_IF_ERROR(impl_->Call(*impl_->inference, &v1::Inference::Stub::GetModel, request, options, response));
  return response.model();
}

absl::Status Client::CheckHealth(const std::string& service, const CallOptions& options) {
  using grpc::health::v1::HealthCheckResponse;
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  HealthCheckResponse response;
  RETURN_IF_ERROR(impl_->Call(*impl_->health, &grpc::health::v1::Health::Stub::Check, request, options, response));
  if (response.status() == HealthCheckResponse::SERVING) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrFormat("%s is %s", service.empty() ? "the server" : "'" + service + "'",
                                                       HealthCheckResponse::ServingStatus_Name(response.status())));
}

}  // namespace rml
