// All metrics of the server and how they look to Prometheus. The table of names is in docs/metrics.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "prometheus/collectable.h"
#include "server/metrics/model_metrics.h"
#include "server/sync/mutex.h"

namespace rml {

struct BuildLabels {
  std::string version;
  std::string numerics;
  std::string isa;
};

// Thread-safe. Series exist for known models only: a name that a caller made up never becomes a label.
class MetricsRegistry : public prometheus::Collectable {
 public:
  explicit MetricsRegistry(BuildLabels build);

  // The metrics of a model version, made when first asked for. Series are exported from then on.
  std::shared_ptr<ModelMetrics> ForModel(const std::string& model, int64_t version) ABSL_LOCKS_EXCLUDED(mutex_);
  // No series of it any more; whoever has the metrics may go on recording. ForModel() begins anew.
  void Drop(const std::string& model, int64_t version) ABSL_LOCKS_EXCLUDED(mutex_);
  // For requests that name no known model: labels model="" and version="".
  ModelMetrics& unknown_model() { return *unknown_model_; }

  void CountLoad(bool success) { (success ? loads_succeeded_ : loads_failed_).Add(); }

  std::vector<prometheus::MetricFamily> Collect() const override ABSL_LOCKS_EXCLUDED(mutex_);
  // Collect() in Prometheus' text format.
  std::string Text() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  std::vector<std::shared_ptr<ModelMetrics>> Models() const ABSL_LOCKS_EXCLUDED(mutex_);

  const BuildLabels build_;
  const std::shared_ptr<ModelMetrics> unknown_model_;
  ShardedCounter loads_succeeded_;
  ShardedCounter loads_failed_;
  mutable Mutex mutex_;
  std::vector<std::pair<std::pair<std::string, int64_t>, std::shared_ptr<ModelMetrics>>> models_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace rml
