// A histogram with fixed buckets, cheap to add to from many threads and mergeable across servers.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "prometheus/client_metric.h"
#include "server/metrics/shards.h"

namespace rml {

// Upper bounds in seconds: 50 us to 10 s, 38 of them, each at most 1.43 times the one before. A quantile read off a
// bucket is then at most 43 % off.
absl::Span<const double> LatencyBounds();

// 1, 2, 4, ... 65536.
absl::Span<const double> BatchSizeBounds();

// Thread-safe, lock-free. `bounds` are ascending, live as long as the program, and are inclusive as Prometheus has it.
class Histogram {
 public:
  // scale: what one unit of the whole numbers kept inside is worth; sums are exact in it. 1e-9 for seconds.
  Histogram(absl::Span<const double> bounds, double scale);

  void Observe(double value);
  // Buckets are summed once, so that the count is the sum of the buckets even while others observe.
  prometheus::ClientMetric Collect() const;

 private:
  struct alignas(64) Shard {
    std::vector<std::atomic<uint64_t>> buckets;  // one more than bounds: above the last
    std::atomic<uint64_t> sum{0};
  };

  const absl::Span<const double> bounds_;
  const double scale_;
  std::array<Shard, kMetricShards> shards_;
};

}  // namespace rml
