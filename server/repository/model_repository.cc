#include "server/repository/model_repository.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "engine/graph/quoted.h"

namespace rml {
namespace {

// "a, b, c and 5 more".
std::string FirstOf(const std::vector<std::string>& names) {
  constexpr size_t kMaxNames = 8;
  if (names.empty()) return "none";
  const size_t shown = std::min(names.size(), kMaxNames);
  const std::string list = absl::StrJoin(names.begin(), names.begin() + static_cast<int64_t>(shown), ", ");
  return shown < names.size() ? absl::StrFormat("%s and %d more", list, names.size() - shown) : list;
}

}  // namespace

std::string ModelLabel(const std::string& name, int64_t version) {
  if (version == 0) return absl::StrFormat("model '%s'", name);
  return absl::StrFormat("model '%s' version %d", name, version);
}

ServedModel::ServedModel(const ModelSource& source, LoadedModel loaded, std::shared_ptr<ModelMetrics> metrics)
    : name_(source.name),
      version_(source.version),
      label_(ModelLabel(name_, version_)),
      metrics_(std::move(metrics)),
      loaded_(std::move(loaded)),
      queue_({.model = label_, .capacity = loaded_.options.queue_limit, .depth = &metrics_->queue_depth}) {
  const MemoryBill& bill = loaded_.program->memory();
  metrics_->memory_bytes = bill.constants + bill.prepared;
  for (size_t i = 0; i < loaded_.instances.size(); ++i) CountMemory(static_cast<int>(i));
}

absl::StatusOr<std::shared_ptr<ServedModel>> ServedModel::Create(const ModelSource& source, LoadedModel loaded,
                                                                 std::shared_ptr<ModelMetrics> metrics) {
  const auto num_instances = static_cast<int>(loaded.instances.size());
  std::shared_ptr<ServedModel> model(new ServedModel(source, std::move(loaded), std::move(metrics)));
  ASSIGN_OR_RETURN(model->workers_, Workers::Start(model->queue_, num_instances));
  model->metrics_->ready = true;
  return model;
}

ServedModel::~ServedModel() {
  metrics_->ready = false;
  workers_.reset();
  metrics_->memory_bytes = 0;
}

void ServedModel::CountMemory(int instance) {
  ModelInstance& on = this->instance(instance);
  const int64_t now = on.executor->arena_bytes();
  const int64_t grown = now - std::exchange(on.arena_bytes, now);
  if (grown == 0) return;
  arena_bytes_.fetch_add(grown, std::memory_order_relaxed);
  metrics_->memory_bytes.fetch_add(grown, std::memory_order_relaxed);
}

ModelRepository::ModelRepository(RepositoryOptions options, MetricsRegistry& metrics)
    : options_(std::move(options)), metrics_(metrics) {}

void ModelRepository::Add(ScanResult found) {
  for (const UnusableModel& model : found.unusable) {
    metrics_.CountLoad(false);
    metrics_.ForModel(model.name, model.version);
    Set({.name = model.name, .version = model.version, .state = ModelState::kFailed, .reason = model.reason});
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
    const absl::Status noted = CatchOutOfMemory("noting how a load ended", [&] {
      Load(source, stop);
      return absl::OkStatus();
    });
    if (noted.ok()) continue;
    // What the load held is free again. Should there be no room even for this, the model stays as loading.
    CatchOutOfMemory("noting that a load failed", [&] {
      Set({.name = source.name, .version = source.version, .state = ModelState::kFailed, .reason = "out of memory"});
      return absl::OkStatus();
    }).IgnoreError();
  }
}

absl::StatusOr<std::shared_ptr<ServedModel>> ModelRepository::LoadServed(const ModelSource& source,
                                                                         const std::atomic<bool>& stop) {
  return CatchOutOfMemory("loading the model", [&]() -> absl::StatusOr<std::shared_ptr<ServedModel>> {
    ASSIGN_OR_RETURN(LoadedModel loaded, LoadModel(source, Override(options_.serve, source.config), stop));
    return ServedModel::Create(source, std::move(loaded), metrics_.ForModel(source.name, source.version));
  });
}

void ModelRepository::Load(const ModelSource& source, const std::atomic<bool>& stop) {
  const auto start = std::chrono::steady_clock::now();
  ModelStatus status{.name = source.name, .version = source.version, .state = ModelState::kReady};
  absl::StatusOr<std::shared_ptr<ServedModel>> served = LoadServed(source, stop);
  if (absl::IsCancelled(served.status())) return;
  metrics_.CountLoad(served.ok());
  if (served.ok()) {
    status.served = *std::move(served);
  } else {
    status.state = ModelState::kFailed;
    status.reason = std::string(served.status().message());
  }
  status.load_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Set(status);
}

void ModelRepository::Set(const ModelStatus& status) {
  {
    MutexLock lock(mutex_);
    models_[{status.name, status.version}] = status;
  }
  options_.on_change(status);
}

absl::StatusOr<ModelStatus> ModelRepository::Get(const std::string& name, int64_t version) const {
  MutexLock lock(mutex_);
  const ModelStatus* best = nullptr;
  for (auto it = models_.lower_bound({name, 0}); it != models_.end() && it->first.first == name; ++it) {
    const ModelStatus& status = it->second;
    if (status.version == version && version != 0) return status;
    if (best == nullptr || status.state == ModelState::kReady || best->state != ModelState::kReady) best = &status;
  }
  if (best == nullptr) return NoSuchModel(name);
  if (version == 0 || best->version == 0) return *best;  // what is wrong with the whole model holds for every version
  return NoSuchVersion(name, version);
}

absl::Status ModelRepository::NoSuchVersion(const std::string& name, int64_t version) const {
  std::vector<std::string> versions;
  for (auto it = models_.lower_bound({name, 0}); it != models_.end() && it->first.first == name; ++it) {
    versions.push_back(std::to_string(it->second.version));
  }
  return absl::NotFoundError(
      absl::StrFormat("model '%s' has no version %d; it has: %s", name, version, FirstOf(versions)));
}

absl::Status ModelRepository::NoSuchModel(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& [key, status] : models_) {
    if (names.empty() || names.back() != key.first) names.push_back(key.first);
  }
  return absl::NotFoundError(absl::StrFormat("there is no model %s; the server has: %s", Quoted(name), FirstOf(names)));
}

absl::StatusOr<std::shared_ptr<ServedModel>> ModelRepository::Find(const std::string& name, int64_t version) const {
  absl::StatusOr<ModelStatus> status = Get(name, version);
  if (!status.ok()) return status.status();
  switch (status->state) {
    case ModelState::kReady:
      return status->served;
    case ModelState::kLoading:
      return absl::UnavailableError(absl::StrFormat("%s is loading; try again", ModelLabel(name, status->version)));
    case ModelState::kFailed:
      break;
  }
  return absl::FailedPreconditionError(
      absl::StrFormat("%s is not loaded: %s", ModelLabel(name, status->version), status->reason));
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
