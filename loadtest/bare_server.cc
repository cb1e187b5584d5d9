#include "loadtest/bare_server.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cpp/tensor_message.h"
#include "rml/v1/inference.grpc.pb.h"

namespace rml {
namespace {

// A call that nobody answers.
class Unanswered : public grpc::ServerUnaryReactor {
 public:
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }
};

class Service : public v1::Inference::CallbackService {
 public:
  Service(const v1::Model& model, RunHandler handler) : model_(model), handler_(std::move(handler)) {}

  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* context, const v1::GetModelRequest*,
                                     v1::GetModelResponse* response) override {
    *response->mutable_model() = model_;
    return Ended(context, absl::OkStatus());
  }

  grpc::ServerUnaryReactor* Run(grpc::CallbackServerContext* context, const v1::RunRequest* request,
                                v1::RunResponse* response) override {
    const std::optional<absl::Status> status = handler_(*request, *response);
    if (!status) return new Unanswered;
    return Ended(context, *status);
  }

 private:
  static grpc::ServerUnaryReactor* Ended(grpc::CallbackServerContext* context, const absl::Status& status) {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish({static_cast<grpc::StatusCode>(status.code()), std::string(status.message())});
    return reactor;
  }

  const v1::Model model_;
  const RunHandler handler_;
};

}  // namespace

struct BareServer::Impl {
  Impl(const v1::Model& model, RunHandler handler) : service(model, std::move(handler)) {}

  Service service;
  std::unique_ptr<grpc::Server> server;
  int port = 0;
};

BareServer::BareServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

BareServer::~BareServer() { impl_->server->Shutdown(std::chrono::system_clock::now()); }

absl::StatusOr<std::unique_ptr<BareServer>> BareServer::Start(int port, const v1::Model& model, RunHandler handler) {
  auto impl = std::make_unique<Impl>(model, std::move(handler));
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // a taken port is an error
  builder.SetMaxReceiveMessageSize(-1);
  builder.AddListeningPort(absl::StrCat("127.0.0.1:", port), grpc::InsecureServerCredentials(), &impl->port);
  builder.RegisterService(&impl->service);
  impl->server = builder.BuildAndStart();
  if (impl->server == nullptr)
    return absl::UnavailableError(absl::StrCat("127.0.0.1:", port, " cannot be listened on"));
  return std::unique_ptr<BareServer>(new BareServer(std::move(impl)));
}

std::string BareServer::address() const { return absl::StrCat("127.0.0.1:", impl_->port); }

v1::Model GoldenModel(const std::string& name, const Golden& golden) {
  v1::Model model;
  model.set_name(name);
  model.set_version(1);
  model.set_state(v1::READY);
  for (size_t i = 0; i < golden.inputs.size(); ++i) model.add_inputs()->set_name(absl::StrCat("input.", i));
  for (size_t i = 0; i < golden.outputs.size(); ++i) model.add_outputs()->set_name(absl::StrCat("output.", i));
  return model;
}

RunHandler GoldenHandler(std::shared_ptr<const Golden> golden) {
  return [golden = std::move(golden)](const v1::RunRequest& request, v1::RunResponse& response) {
    response.set_model(request.model());
    response.set_version(1);
    response.set_request_id(request.request_id());
    for (size_t i = 0; i < golden->outputs.size(); ++i) {
      ToMessage(absl::StrCat("output.", i), golden->outputs[i].view(), *response.add_outputs());
    }
    response.mutable_timing();  // of zeros
    return std::optional<absl::Status>(absl::OkStatus());
  };
}

}  // namespace rml
