// What is counted for one version of one model; also, under the empty name, for requests that name no known model.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "prometheus/client_metric.h"
#include "server/metrics/histogram.h"
#include "server/metrics/shards.h"

namespace rml {

enum class Method { kRun, kProfile, kListModels, kGetModel };
inline constexpr std::array<const char*, 4> kMethodNames = {"Run", "Profile", "ListModels", "GetModel"};

// gRPC's name of a code: "OK", "INVALID_ARGUMENT".
const char* StatusCodeName(absl::StatusCode code);

// Thread-safe. Kept alive by whoever records and by the registry while the version is known.
class ModelMetrics {
 public:
  ModelMetrics(std::string model, std::string version);

  void CountRequest(Method method, absl::StatusCode code) { requests_[Index(method)][Clamp(code)].Add(); }

  Histogram request_duration;           // seconds from the decoded message to the answer, Run only
  Histogram queue_duration;             // seconds
  Histogram compute_duration;           // seconds
  Histogram batch_size;                 // rows in one execution
  std::atomic<int64_t> in_flight{0};    // Run and Profile calls not answered yet
  std::atomic<int64_t> queue_depth{0};  // of them, waiting for an instance
  ShardedCounter wasted_compute_ns;     // spent on runs that were cancelled or late
  std::atomic<bool> ready{false};
  std::atomic<int64_t> memory_bytes{0};

  // Labels model and version, and `more`.
  prometheus::ClientMetric Labelled(prometheus::ClientMetric metric) const;
  uint64_t Requests(Method method, int code) const { return requests_[Index(method)][code].Value(); }

  static constexpr int kNumCodes = 17;

 private:
  static size_t Index(Method method) { return static_cast<size_t>(method); }
  static size_t Clamp(absl::StatusCode code) {
    const auto value = static_cast<size_t>(code);
    return value < kNumCodes ? value : static_cast<size_t>(absl::StatusCode::kUnknown);
  }

  const std::string model_;
  const std::string version_;
  std::array<std::array<ShardedCounter, kNumCodes>, kMethodNames.size()> requests_;
};

}  // namespace rml
