#include "server/metrics/histogram.h"

#include <algorithm>
#include <cmath>

namespace rml {
namespace {

std::vector<double> MakeLatencyBounds() {
  std::vector<double> bounds;
  // Two digits, as people write them. Divided, not multiplied: 14 / 1e5 is the double nearest to 0.00014.
  for (double divisor : {1e6, 1e5, 1e4, 1e3, 1e2, 1e1}) {
    for (int digits : {10, 14, 20, 28, 40, 50, 70}) {
      if (digits / divisor >= 50e-6) bounds.push_back(digits / divisor);
    }
  }
  bounds.push_back(10);
  return bounds;
}

std::vector<double> MakeBatchSizeBounds() {
  std::vector<double> bounds;
  for (int bound = 1; bound <= 65536; bound *= 2) bounds.push_back(bound);
  return bounds;
}

}  // namespace

absl::Span<const double> LatencyBounds() {
  static const std::vector<double> bounds = MakeLatencyBounds();
  return bounds;
}

absl::Span<const double> BatchSizeBounds() {
  static const std::vector<double> bounds = MakeBatchSizeBounds();
  return bounds;
}

Histogram::Histogram(absl::Span<const double> bounds, double scale) : bounds_(bounds), scale_(scale) {
  for (Shard& shard : shards_) shard.buckets = std::vector<std::atomic<uint64_t>>(bounds.size() + 1);
}

void Histogram::Observe(double value) {
  const size_t bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  Shard& shard = shards_[MetricShard()];
  shard.buckets[bucket].fetch_add(1, std::memory_order_relaxed);
  shard.sum.fetch_add(static_cast<uint64_t>(std::llround(std::max(value, 0.0) / scale_)), std::memory_order_relaxed);
}

prometheus::ClientMetric Histogram::Collect() const {
  prometheus::ClientMetric metric;
  uint64_t cumulative = 0;
  uint64_t sum = 0;
  for (size_t i = 0; i <= bounds_.size(); ++i) {
    for (const Shard& shard : shards_) cumulative += shard.buckets[i].load(std::memory_order_relaxed);
    const double bound = i < bounds_.size() ? bounds_[i] : HUGE_VAL;
    metric.histogram.bucket.push_back({cumulative, bound});
  }
  for (const Shard& shard : shards_) sum += shard.sum.load(std::memory_order_relaxed);
  metric.histogram.sample_count = cumulative;
  metric.histogram.sample_sum = static_cast<double>(sum) * scale_;
  return metric;
}

}  // namespace rml
