#include "server/process/server_process.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <functional>
#include <utility>

#include "absl/strings/str_format.h"
#include "command_line/parse.h"
#include "command_line/run_program.h"
#include "engine/base/status_macros.h"
#include "engine/exec/numerics_version.h"
#include "engine/graph/atomic_file.h"
#include "engine/kernels/dispatch.h"
#include "server/options/demo_models.h"

namespace rml {
namespace {

std::chrono::nanoseconds Nanoseconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

// What health knows beside the models.
constexpr const char* kServices[] = {"rml.v1.Inference", "inference.GRPCInferenceService"};

bool IsReady(const ModelStatus& status) { return status.state == ModelState::kReady; }

RepositoryOptions LoadAs(const ServerOptions& options, std::function<void(const ModelStatus&)> on_change) {
  RepositoryOptions repository;
  repository.serve = {.instances = options.instances,
                      .threads = options.threads,
                      .queue_limit = options.queue_limit,
                      .default_timeout = Nanoseconds(options.default_timeout_seconds)};
  repository.serve.program.disabled_passes = options.disabled_passes;
  repository.on_change = std::move(on_change);
  return repository;
}

// Whoever waits for the port file must not find that of an earlier server, nor wait for one that will never be written.
absl::Status ClearPortFile(const std::string& path) {
  const auto cannot = [&path](const char* why) {
    return absl::PermissionDeniedError(absl::StrFormat("cannot write the port file '%s': %s", path, why));
  };
  struct stat old{};
  const bool there = lstat(path.c_str(), &old) == 0;
  if (there && !S_ISREG(old.st_mode)) return cannot("something else than a file is there");
  if (there && unlink(path.c_str()) != 0) return cannot(std::strerror(errno));
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) return cannot(std::strerror(errno));
  return absl::OkStatus();
}

// The server goes on: it may be found by other means.
void LogIfNot(const absl::Status& status, const char* what) {
  if (!status.ok()) spdlog::error("{}: {}", what, std::string(status.message()));
}

}  // namespace

ServerProcess::ServerProcess(const ServerOptions& options)
    : options_(options),
      metrics_({Version(), std::to_string(kNumericsVersion), ActiveKernels().isa}),
      repository_(LoadAs(options, [this](const ModelStatus& status) { OnChange(status); }), metrics_),
      api_(repository_, metrics_),
      open_api_(repository_, metrics_, health_, Version()) {}

ServerProcess::~ServerProcess() {
  if (grpc_) grpc_->Shutdown(std::chrono::nanoseconds(0));  // harmless after Drain()
}

absl::Status ServerProcess::Start() {
  if (!options_.port_file.empty()) RETURN_IF_ERROR(ClearPortFile(options_.port_file));
  ASSIGN_OR_RETURN(ScanResult found, FindModels());
  for (const char* service : kServices) health_.Set(service, Serving::kNotServing);
  repository_.Add(std::move(found));
  ASSIGN_OR_RETURN(http_, StatusPort::Start({.host = options_.host,
                                             .port = options_.http_port,
                                             .metrics = [this] { return metrics_.Text(); },
                                             .not_ready = [this] { return NotReadyReason(); }}));
  ASSIGN_OR_RETURN(
      grpc_, GrpcServer::Start(
                 {.host = options_.host, .port = options_.port, .max_message_bytes = options_.max_message_mib << 20},
                 api_, open_api_, health_));
  spdlog::info("listening: gRPC on {}:{}, HTTP on {}:{}", options_.host, grpc_->port(), options_.host, http_->port());
  return absl::OkStatus();
}

absl::StatusOr<ScanResult> ServerProcess::FindModels() const {
  ScanResult found;
  for (const std::string& flag : options_.models) {
    ASSIGN_OR_RETURN(ModelSource source, ParseModelFlag(flag));
    const bool twice = std::any_of(found.models.begin(), found.models.end(),
                                   [&](const ModelSource& other) { return other.name == source.name; });
    if (twice) return absl::InvalidArgumentError("--model names '" + source.name + "' twice");
    spdlog::info("model '{}': folder '{}'", source.name, source.directory);
    found.models.push_back(std::move(source));
  }
  if (!found.models.empty()) return found;
  std::string root = options_.model_repository;
  if (options_.demo) {
    ASSIGN_OR_RETURN(root, DemoModels());
  }
  ASSIGN_OR_RETURN(ScanResult scanned, Annotate(ScanRepository(root), "model repository '" + root + "'"));
  spdlog::info("model repository '{}': {} models", root, scanned.models.size() + scanned.unusable.size());
  return scanned;
}

void ServerProcess::LoadAll(const std::atomic<bool>& stop) {
  repository_.LoadAll(stop);
  if (stop) return;
  loaded_ = true;
  const std::vector<ModelStatus> models = repository_.List();
  if (std::any_of(models.begin(), models.end(), IsReady)) {
    for (const char* service : kServices) health_.Set(service, Serving::kServing);
    health_.Set("", Serving::kServing);
  } else {
    spdlog::error("not ready: there is no model that could be loaded");
  }
  Announce();
}

void ServerProcess::Announce() {
  const std::vector<ModelStatus> models = repository_.List();
  const auto ready = std::count_if(models.begin(), models.end(), IsReady);
  if (!options_.port_file.empty()) {  // first: whoever has read the line finds the file
    const std::string ports = absl::StrFormat("{\"grpc\": %d, \"http\": %d}\n", grpc_->port(), http_->port());
    LogIfNot(WriteFileAtomically(options_.port_file, ports), "the port file");
  }
  LogIfNot(PrintNow(absl::StrFormat("rml-server ready grpc=%s:%d http=%s:%d models=%d failed=%d\n", options_.host,
                                    grpc_->port(), options_.host, http_->port(), ready,
                                    static_cast<std::ptrdiff_t>(models.size()) - ready)),
           "the ready line");
}

void ServerProcess::OnChange(const ModelStatus& status) {
  if (status.state == ModelState::kReady) {
    const LoadedModel& loaded = status.served->loaded();
    spdlog::info("{} is ready after {:.3f} s ({}, {} instances, {} threads, {:.1f} MB)", status.served->label(),
                 status.load_seconds, loaded.golden ? "reproduces its golden file" : "unverified: no golden file",
                 loaded.options.instances, loaded.options.threads,
                 static_cast<double>(status.served->metrics().memory_bytes.load()) * 1e-6);
  } else if (status.state == ModelState::kFailed) {
    spdlog::error("{} failed: {}", ModelLabel(status.name, status.version), status.reason);
  }
  // A model serves as long as one of its versions does.
  const absl::StatusOr<ModelStatus> best = repository_.Get(status.name, 0);
  health_.Set(status.name, best.ok() && IsReady(*best) ? Serving::kServing : Serving::kNotServing);
}

std::string ServerProcess::NotReadyReason() const {
  if (draining_) return "shutting down";
  if (!loaded_) return "models are loading";
  return health_.Get("") == Serving::kServing ? "" : "no model is ready";
}

void ServerProcess::StopServing() {
  draining_ = true;
  health_.StopServing();
}

void ServerProcess::Drain() {
  grpc_->Shutdown(Nanoseconds(options_.drain_timeout_seconds));
  repository_.Close();
  http_.reset();
}

}  // namespace rml
