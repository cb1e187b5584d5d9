// The gRPC port: rml.v1.Inference and Admin, inference.GRPCInferenceService, grpc.health.v1.Health and reflection. This header
// includes nothing of gRPC.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/health/health_board.h"
#include "server/repository/model_repository.h"
#include "server/service/inference_api.h"
#include "server/service/open_inference_api.h"

namespace rml {

struct GrpcServerOptions {
  std::string host = "127.0.0.1";
  int port = 8001;                         // 0: any free one
  int64_t max_message_bytes = 64LL << 20;  // of a request; a larger one is refused with both sizes
};

// What the methods do.
struct GrpcApis {
  InferenceApi& inference;
  OpenInferenceApi& open_inference;
  ModelRepository& repository;  // for rml.v1.Admin
};

// Serves from Start() to Shutdown(), which must have been called before it is destroyed.
class GrpcServer {
 public:
  // Unavailable if the port is taken, naming it. `apis` and `board` outlive the server.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const GrpcServerOptions& options, const GrpcApis& apis,
                                                           HealthBoard& board);
  ~GrpcServer();

  int port() const;

  // Ends health watches, reflection and inference streams, sends GOAWAY, takes no new calls, waits until those under way are
  // answered and cancels what is left after `patience`.
  void Shutdown(std::chrono::nanoseconds patience);

 private:
  struct Impl;
  explicit GrpcServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rml
