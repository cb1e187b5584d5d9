// A loaded model in service: its executors, its waiting line and its threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/metrics/model_metrics.h"
#include "server/repository/load_model.h"
#include "server/scheduler/job_queue.h"
#include "server/scheduler/workers.h"

namespace rml {

// Owned by the repository, which gives out shared pointers that end nothing (model_repository.h, lease): the model is
// destroyed by the repository alone, once all of them have gone. Its worker threads get the priority of the thread that
// creates it.
class ServedModel {
 public:
  // ResourceExhausted if the threads of its instances cannot be started.
  static absl::StatusOr<std::unique_ptr<ServedModel>> Create(const ModelSource& source, LoadedModel loaded,
                                                             std::shared_ptr<ModelMetrics> metrics);
  // Takes no more jobs, runs those that wait and joins the workers: never on one of them.
  ~ServedModel();
  ServedModel(const ServedModel&) = delete;
  ServedModel& operator=(const ServedModel&) = delete;

  const std::string& name() const { return name_; }
  int64_t version() const { return version_; }
  const std::string& label() const { return label_; }  // ModelLabel()
  const Program& program() const { return *loaded_.program; }
  const LoadedModel& loaded() const { return loaded_; }
  ModelInstance& instance(int i) { return loaded_.instances[static_cast<size_t>(i)]; }  // for its worker only
  JobQueue& queue() { return queue_; }
  ModelMetrics& metrics() { return *metrics_; }

  // Weights, packed weights and working memory.
  int64_t memory_bytes() const;
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

}  // namespace rml
