// The life of the server: ports first, then models, ready, and on a signal the way out.
//
//   Start     both ports open; live, not ready
//   LoadAll   every model READY or FAILED; then SERVING if at least one is ready, and the ready line
//   KeepUpToDate   models come and go
//   Drain     NOT_SERVING; lame duck; GOAWAY; calls under way answered; ports closed
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/health/health_board.h"
#include "server/http/status_port.h"
#include "server/metrics/registry.h"
#include "server/options/options.h"
#include "server/repository/model_repository.h"
#include "server/service/grpc_server.h"
#include "server/service/inference_api.h"
#include "server/service/open_inference_api.h"

namespace rml {

class ServerProcess {
 public:
  explicit ServerProcess(const ServerOptions& options);
  ~ServerProcess();

  // Removes an old port file, finds the models and opens the ports. Errors: NotFound, PermissionDenied, Unavailable (a
  // port).
  absl::Status Start();

  // Loads the models, tells health, prints the ready line and writes the port file. Returns early once *stop is set.
  void LoadAll(const std::atomic<bool>& stop);
  // Then loads and unloads models as its mode says, until *stop is set and StopServing() called.
  void KeepUpToDate(const std::atomic<bool>& stop) { repository_.KeepUpToDate(stop); }
  // Has that done at once. Any thread.
  void Reread() { repository_.Reread(); }

  // From now on NOT_SERVING; requests are still answered.
  void StopServing();
  // Ends the calls and closes the ports.
  void Drain();

 private:
  RepositoryOptions Hooked(RepositoryOptions options);
  absl::Status NameModels();
  absl::StatusOr<ScanResult> Look() const;
  void OnChange(const ModelStatus& status);
  void TellHealth();
  std::string NotReadyReason() const;
  void Announce();

  const ServerOptions options_;
  MetricsRegistry metrics_;
  HealthBoard health_;
  std::atomic<bool> loaded_{false};
  std::atomic<bool> draining_{false};
  std::vector<ModelSource> named_;  // by --model
  std::string root_;                // of all others
  ModelRepository repository_;
  InferenceApi api_;
  OpenInferenceApi open_api_;
  std::unique_ptr<StatusPort> http_;
  std::unique_ptr<GrpcServer> grpc_;
};

}  // namespace rml
