// What is counted for one version of one model; also, under the empty name, for requests that name no known model.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "prometheus/client_metric.h"
#include "server/metrics/histogram.h"
#include "server/metrics/inference_statistics.h"
#include "server/metrics/shards.h"

namespace rml {

// The methods of rml.v1.Inference, then those of inference.GRPCInferenceService that are about models.
enum class Method : uint8_t {
  kRun,
  kProfile,
  kListModels,
  kGetModel,
  kModelInfer,
  kModelStreamInfer,
  kModelMetadata,
  kModelConfig,
  kModelStatistics,
  kRepositoryIndex
};
inline constexpr std::array<const char*, 10> kMethodNames = {
    "Run",           "Profile",     "ListModels",      "GetModel",       "ModelInfer", "ModelStreamInfer",
    "ModelMetadata", "ModelConfig", "ModelStatistics", "RepositoryIndex"};

// Whether a call of it, or each request of its stream, runs a model once.
constexpr bool IsInference(Method method) {
  return method == Method::kRun || method == Method::kModelInfer || method == Method::kModelStreamInfer;
}

// gRPC's name of a code: "OK", "INVALID_ARGUMENT".
const char* StatusCodeName(absl::StatusCode code);

// Thread-safe. Kept alive by whoever records and by the registry while the version is known.
class ModelMetrics {
 public:
  ModelMetrics(std::string model, std::string version);

  void CountRequest(Method method, absl::StatusCode code) { requests_[Index(method)][Clamp(code)].Add(); }

  Histogram request_duration;           // seconds from the decoded message to the answer, inferences only
  Histogram queue_duration;             // seconds
  Histogram compute_duration;           // seconds
  Histogram batch_size;                 // rows in one execution
  std::atomic<int64_t> in_flight{0};    // inferences and Profile calls not answered yet
  std::atomic<int64_t> queue_depth{0};  // of them, waiting for an instance
  InferenceStatistics inference;
  ShardedCounter wasted_compute_ns;  // spent on runs that were cancelled or late
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
