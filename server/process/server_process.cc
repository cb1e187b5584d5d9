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
#include "server/repository/file_stamp.h"

namespace rml {
namespace {

std::chrono::nanoseconds Nanoseconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

// What health knows beside the models.
constexpr const char* kServices[] = {"rml.v1.Inference", "inference.GRPCInferenceService"};

bool IsReady(const ModelStatus& status) { return status.state == ModelState::kReady; }

RepositoryOptions LoadAs(const ServerOptions& options) {
  RepositoryOptions repository{.mode = options.repository_mode,
                               .load_at_start = options.load_models,
                               .poll_interval = Nanoseconds(options.poll_interval_seconds),
                               .settle = Nanoseconds(options.settle_seconds)};
  repository.serve = {.instances = options.instances,
                      .threads = options.threads,
                      .queue_limit = options.queue_limit,
                      .default_timeout = Nanoseconds(options.default_timeout_seconds)};
  if (options.memory_limit_mib > 0) repository.memory_limit = options.memory_limit_mib << 20;
  repository.serve.program.disabled_passes = options.disabled_passes;
  repository.on_look_error = [](const absl::Status& status) {
    spdlog::error("{}; all models stay as they are", std::string(status.message()));
  };
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
      repository_(Hooked(LoadAs(options)), metrics_),
      api_(repository_, metrics_),
      open_api_(repository_, metrics_, health_, Version()) {}

RepositoryOptions ServerProcess::Hooked(RepositoryOptions options) {
  options.look = [this] { return Look(); };
  options.on_change = [this](const ModelStatus& status) { OnChange(status); };
  return options;
}

ServerProcess::~ServerProcess() {
  if (grpc_) grpc_->Shutdown(std::chrono::nanoseconds(0));  // harmless after Drain()
}

absl::Status ServerProcess::Start() {
  if (!options_.port_file.empty()) RETURN_IF_ERROR(ClearPortFile(options_.port_file));
  RETURN_IF_ERROR(NameModels());
  ASSIGN_OR_RETURN(ScanResult found, Look());
  if (!root_.empty()) {
    spdlog::info("model repository '{}': {} models", root_, found.models.size() + found.unusable.size());
  }
  for (const char* service : kServices) health_.Set(service, Serving::kNotServing);
  repository_.Add(std::move(found));
  ASSIGN_OR_RETURN(http_, StatusPort::Start({.host = options_.host,
                                             .port = options_.http_port,
                                             .metrics = [this] { return metrics_.Text(); },
                                             .not_ready = [this] { return NotReadyReason(); }}));
  ASSIGN_OR_RETURN(
      grpc_, GrpcServer::Start(
                 {.host = options_.host, .port = options_.port, .max_message_bytes = options_.max_message_mib << 20},
                 {.inference = api_, .open_inference = open_api_, .repository = repository_}, health_));
  spdlog::info("listening: gRPC on {}:{}, HTTP on {}:{}", options_.host, grpc_->port(), options_.host, http_->port());
  return absl::OkStatus();
}

absl::Status ServerProcess::NameModels() {
  for (const std::string& flag : options_.models) {
    ASSIGN_OR_RETURN(ModelSource source, ParseModelFlag(flag));
    const bool twice =
        std::any_of(named_.begin(), named_.end(), [&](const ModelSource& other) { return other.name == source.name; });
    if (twice) return absl::InvalidArgumentError("--model names '" + source.name + "' twice");
    spdlog::info("model '{}': folder '{}'", source.name, source.directory);
    named_.push_back(std::move(source));
  }
  root_ = options_.model_repository;
  if (options_.demo) {
    ASSIGN_OR_RETURN(root_, DemoModels());
  }
  return absl::OkStatus();
}

absl::StatusOr<ScanResult> ServerProcess::Look() const {
  if (named_.empty()) return Annotate(ScanRepository(root_), "model repository '" + root_ + "'");
  ScanResult found{.models = named_, .unusable = {}};
  for (ModelSource& source : found.models) source.stamp = StampOfVersion(source.directory);
  return found;
}

void ServerProcess::LoadAll(const std::atomic<bool>& stop) {
  repository_.LoadAll(stop);
  if (stop) return;
  loaded_ = true;
  TellHealth();
  if (health_.Get("") != Serving::kServing) spdlog::error("not ready: there is no model that could be loaded");
  Announce();
}

// The server serves as long as one of its models does; in explicit mode also while nobody has asked for one yet, as a
// server that is not ready could not be asked.
void ServerProcess::TellHealth() {
  if (!loaded_) return;
  const std::vector<ModelStatus> models = repository_.List();
  const bool serves =
      options_.repository_mode == RepositoryMode::kExplicit || std::any_of(models.begin(), models.end(), IsReady);
  const Serving status = serves ? Serving::kServing : Serving::kNotServing;
  for (const char* service : kServices) health_.Set(service, status);
  health_.Set("", status);
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
  const std::string label = ModelLabel(status.name, status.version);
  if (IsReady(status) && !status.reason.empty()) {
    spdlog::error("{}: the files that are there now were refused, older ones go on serving: {}", label, status.reason);
  } else if (IsReady(status)) {
    const LoadedModel& loaded = status.served->loaded();
    spdlog::info("{} is ready after {:.3f} s ({}, {} instances, {} threads, {:.1f} MB)", status.served->label(),
                 status.load_seconds, loaded.golden ? "reproduces its golden file" : "unverified: no golden file",
                 loaded.options.instances, loaded.options.threads,
                 static_cast<double>(status.served->metrics().memory_bytes.load()) * 1e-6);
  } else if (status.state == ModelState::kFailed) {
    spdlog::error("{} failed: {}", label, status.reason);
  } else if (status.state == ModelState::kUnloading) {
    spdlog::info("{} takes no more requests and is unloaded after the last", label);
  } else if (status.state == ModelState::kUnloaded) {
    spdlog::info("{} is not loaded", label);
  }
  // A model serves as long as one of its versions does.
  const absl::StatusOr<ModelStatus> best = repository_.Get(status.name, 0);
  if (best.ok()) {
    health_.Set(status.name, IsReady(*best) ? Serving::kServing : Serving::kNotServing);
  } else {
    health_.Remove(status.name);
  }
  TellHealth();
}

std::string ServerProcess::NotReadyReason() const {
  if (draining_) return "shutting down";
  if (!loaded_) return "models are loading";
  return health_.Get("") == Serving::kServing ? "" : "no model is ready";
}

void ServerProcess::StopServing() {
  draining_ = true;
  repository_.Wake();
  health_.StopServing();
}

void ServerProcess::Drain() {
  grpc_->Shutdown(Nanoseconds(options_.drain_timeout_seconds));
  repository_.Close();
  http_.reset();
}

}  // namespace rml
