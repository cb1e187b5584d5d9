#include "server/repository/model_repository.h"

#include <chrono>
#include <optional>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/graph/quoted.h"

namespace rml {
namespace {

constexpr size_t kMaxNamesInError = 8;

std::string Label(const std::string& name, int64_t version) {
  return absl::StrFormat("model '%s' version %d", name, version);
}

}  // namespace

ServedModel::ServedModel(const ModelSource& source, LoadedModel loaded, size_t queue_capacity,
                         std::shared_ptr<ModelMetrics> metrics)
    : name_(source.name),
      version_(source.version),
      label_(Label(name_, version_)),
      metrics_(std::move(metrics)),
      loaded_(std::move(loaded)),
      arena_bytes_(loaded_.arena_bytes()),
      queue_({.model = label_, .capacity = queue_capacity, .depth = &metrics_->queue_depth}),
      workers_(queue_, static_cast<int>(loaded_.instances.size())) {
  const MemoryBill& bill = loaded_.program->memory();
  metrics_->memory_bytes = bill.constants + bill.prepared + arena_bytes();
  metrics_->ready = true;
}

ModelRepository::ModelRepository(RepositoryOptions options, MetricsRegistry& metrics)
    : options_(std::move(options)), metrics_(metrics) {}

void ModelRepository::Add(ScanResult found) {
  for (const UnusableModel& model : found.unusable) {
    metrics_.CountLoad(false);
    Set({.name = model.name, .state = ModelState::kFailed, .reason = model.reason});
  }
  for (ModelSource& source : found.models) {
    metrics_.ForModel(source.name, source.version);
    Set({.name = source.name, .version = source.version});
    sources_.push_back(std::move(source));
  }
}

void ModelRepository::LoadAll(const std::atomic<bool>& stop) {
  for (const ModelSource& source : sources_) {
    if (stop) return;
    Load(source);
  }
}

void ModelRepository::Load(const ModelSource& source) {
  const auto start = std::chrono::steady_clock::now();
  absl::StatusOr<LoadedModel> loaded = LoadModel(source, options_.load);
  metrics_.CountLoad(loaded.ok());
  ModelStatus status{.name = source.name, .version = source.version};
  if (loaded.ok()) {
    status.state = ModelState::kReady;
    status.served = std::make_shared<ServedModel>(source, *std::move(loaded), options_.queue_capacity,
                                                  metrics_.ForModel(source.name, source.version));
  } else {
    status.state = ModelState::kFailed;
    status.reason = std::string(loaded.status().message());
  }
  status.load_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Set(std::move(status));
}

void ModelRepository::Set(ModelStatus status) {
  {
    MutexLock lock(mutex_);
    models_[{status.name, status.version}] = status;
  }
  options_.on_change(status);
}

absl::StatusOr<ModelStatus> ModelRepository::Get(const std::string& name, int64_t version) const {
  MutexLock lock(mutex_);
  std::optional<ModelStatus> best;
  std::vector<std::string> versions;
  for (auto it = models_.lower_bound({name, 0}); it != models_.end() && it->first.first == name; ++it) {
    const ModelStatus& status = it->second;
    if (status.version == version && version != 0) return status;
    versions.push_back(std::to_string(status.version));
    if (!best || status.state == ModelState::kReady || best->state != ModelState::kReady) best = status;
  }
  if (best && version == 0) return *best;
  if (best) {
    return absl::NotFoundError(
        absl::StrFormat("model '%s' has no version %d; it has: %s", name, version, absl::StrJoin(versions, ", ")));
  }
  std::vector<std::string> names;
  for (const auto& [key, status] : models_) {
    if (names.empty() || names.back() != key.first) names.push_back(key.first);
  }
  const size_t shown = std::min(names.size(), kMaxNamesInError);
  return absl::NotFoundError(absl::StrFormat(
      "there is no model %s; the server has: %s%s", Quoted(name),
      shown == 0 ? "none" : absl::StrJoin(names.begin(), names.begin() + static_cast<int64_t>(shown), ", "),
      shown < names.size() ? absl::StrFormat(" and %d more", names.size() - shown) : ""));
}

absl::StatusOr<std::shared_ptr<ServedModel>> ModelRepository::Find(const std::string& name, int64_t version) const {
  absl::StatusOr<ModelStatus> status = Get(name, version);
  if (!status.ok()) return status.status();
  switch (status->state) {
    case ModelState::kReady:
      return status->served;
    case ModelState::kLoading:
      return absl::UnavailableError(absl::StrFormat("%s is loading; try again", Label(name, status->version)));
    case ModelState::kFailed:
      break;
  }
  return absl::FailedPreconditionError(
      absl::StrFormat("%s is not loaded: %s", Label(name, status->version), status->reason));
}

std::vector<ModelStatus> ModelRepository::List() const {
  MutexLock lock(mutex_);
  std::vector<ModelStatus> models;
  for (const auto& [key, status] : models_) models.push_back(status);
  return models;
}

void ModelRepository::Close() {
  for (const ModelStatus& status : List()) {
    if (status.served) status.served->queue().Close();
  }
}

}  // namespace rml
