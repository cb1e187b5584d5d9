// The models that the server knows, what state each version is in, and what serves it.
//
//   LOADING ──> READY     loaded, verified, warm: Find() gives it out
//           └─> FAILED    reason kept; other models are not concerned
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/metrics/registry.h"
#include "server/repository/load_model.h"
#include "server/repository/scan.h"
#include "server/scheduler/job_queue.h"
#include "server/scheduler/workers.h"
#include "server/sync/mutex.h"

namespace rml {

// "model 'mlp' version 1", how errors and the log name it; without a version for 0.
std::string ModelLabel(const std::string& name, int64_t version);

// A loaded model with its waiting line and its threads. Kept by the repository for as long as there are calls that use it.
class ServedModel {
 public:
  // ResourceExhausted if the threads of its instances cannot be started.
  static absl::StatusOr<std::shared_ptr<ServedModel>> Create(const ModelSource& source, LoadedModel loaded,
                                                             std::shared_ptr<ModelMetrics> metrics);
  ~ServedModel();

  const std::string& name() const { return name_; }
  int64_t version() const { return version_; }
  const std::string& label() const { return label_; }  // ModelLabel()
  const Program& program() const { return *loaded_.program; }
  const LoadedModel& loaded() const { return loaded_; }
  ModelInstance& instance(int i) { return loaded_.instances[static_cast<size_t>(i)]; }  // for its worker only
  JobQueue& queue() { return queue_; }
  ModelMetrics& metrics() { return *metrics_; }

  // Working memory of all instances. Kept beside the executors, which only their workers may touch: a worker that has run
  // its instance says so with CountMemory(), since a row count that is new to it may have made its arena grow.
  int64_t arena_bytes() const { return arena_bytes_.load(std::memory_order_relaxed); }
  void CountMemory(int instance);

 private:
  ServedModel(const ModelSource& source, LoadedModel loaded, std::shared_ptr<ModelMetrics> metrics);

  const std::string name_;
  const int64_t version_;
  const std::string label_;
  const std::shared_ptr<ModelMetrics> metrics_;
  LoadedModel loaded_;
  std::atomic<int64_t> arena_bytes_{0};
  JobQueue queue_;
  std::unique_ptr<Workers> workers_;  // last: its destructor waits for the jobs that use all the rest
};

enum class ModelState { kLoading, kReady, kFailed };

// A snapshot of what is known about one version.
struct ModelStatus {
  std::string name;
  int64_t version = 0;  // 0: a model that is unusable as a whole
  ModelState state = ModelState::kLoading;
  std::string reason{};  // of kFailed
  double load_seconds = 0;
  std::shared_ptr<ServedModel> served{};  // of kReady
};

struct RepositoryOptions {
  ServeOptions serve;  // what a model's config.textproto does not override
  // Called after every change of a state, under no lock, by the thread that made it.
  std::function<void(const ModelStatus&)> on_change = [](const ModelStatus&) {};
};

// Thread-safe. Modes that change models while serving will go here; this one loads once.
class ModelRepository {
 public:
  ModelRepository(RepositoryOptions options, MetricsRegistry& metrics);

  // Registers what was found, as kLoading or kFailed. Call before LoadAll().
  void Add(ScanResult found) ABSL_LOCKS_EXCLUDED(mutex_);
  // Loads every model, one after the other; returns early once `stop` is set, with the model under way still kLoading.
  void LoadAll(const std::atomic<bool>& stop) ABSL_LOCKS_EXCLUDED(mutex_);

  // The version to serve (0: the highest that is ready). Errors: NotFound (naming the models there are),
  // Unavailable while it loads, FailedPrecondition with the reason if it failed.
  absl::StatusOr<std::shared_ptr<ServedModel>> Find(const std::string& name, int64_t version) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The same, in whatever state (0: the highest that is ready, else the highest). A model that is unusable as a whole is
  // given for every version. NotFound.
  absl::StatusOr<ModelStatus> Get(const std::string& name, int64_t version) const ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<ModelStatus> List() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Takes no more requests; those waiting are still answered.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Key = std::pair<std::string, int64_t>;

  void Load(const ModelSource& source, const std::atomic<bool>& stop) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::shared_ptr<ServedModel>> LoadServed(const ModelSource& source, const std::atomic<bool>& stop);
  void Set(const ModelStatus& status) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status NoSuchModel(const std::string& name) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status NoSuchVersion(const std::string& name, int64_t version) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const RepositoryOptions options_;
  MetricsRegistry& metrics_;
  std::vector<ModelSource> sources_;
  mutable Mutex mutex_;
  std::map<Key, ModelStatus> models_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace rml
