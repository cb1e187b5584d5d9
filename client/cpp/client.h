// A client of rml-server.
//
//   auto client = rml::Client::Connect("localhost:8001");
//   auto result = (*client)->Run({.model = "mlp", .inputs = {{"x", x.view()}}});
//   const rml::Tensor& logits = result->outputs[0].tensor;
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cpp/retry.h"
#include "engine/base/tensor.h"
#include "rml/v1/inference.pb.h"

namespace rml {

struct ClientOptions {
  std::chrono::milliseconds timeout{60'000};  // of calls that give none of their own, over all attempts
  RetryPolicy retry{};
};

struct CallOptions {
  std::chrono::milliseconds timeout{0};  // over all attempts; 0: as the client
};

struct InputTensor {
  std::string name;
  ConstTensorView tensor;  // the caller keeps the memory until the call returns
};

struct RunCall {
  std::string model;
  int64_t version = 0;  // 0: the highest that is ready
  std::vector<InputTensor> inputs{};
  std::vector<std::string> outputs{};  // empty: all, in the model's order
  std::string request_id{};
};

struct OutputTensor {
  std::string name;
  Tensor tensor;
};

struct RunResult {
  int64_t version = 0;  // the one that ran
  std::vector<OutputTensor> outputs;
  double queue_seconds = 0;  // as the server saw it
  double compute_seconds = 0;
};

// Thread-safe: any number of calls at the same time over one connection.
// Errors: what the server said, with its code (docs/serving.md); Unavailable if it cannot be reached, after the retries;
// DeadlineExceeded.
class Client {
 public:
  // `address` as HOST:PORT, or HOST for port 8001. The connection is made by the first call. InvalidArgument: address.h.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(const std::string& address, const ClientOptions& options = {});
  ~Client();

  absl::StatusOr<RunResult> Run(const RunCall& call, const CallOptions& options = {});
  absl::StatusOr<v1::ProfileResponse> Profile(const v1::ProfileRequest& request, const CallOptions& options = {});
  absl::StatusOr<std::vector<v1::Model>> ListModels(const CallOptions& options = {});
  absl::StatusOr<v1::Model> GetModel(const std::string& name, int64_t version = 0, const CallOptions& options = {});

  // OK if `service` serves: "" for the server, a model's name for that model. FailedPrecondition if it does not.
  absl::Status CheckHealth(const std::string& service = "", const CallOptions& options = {});

 private:
  struct Impl;  // holds gRPC, whose headers take half a minute to compile
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rml
