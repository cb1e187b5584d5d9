#include "server/metrics/model_metrics.h"

#include <utility>

namespace rml {

const char* StatusCodeName(absl::StatusCode code) {
  static constexpr const char* kNames[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  const auto value = static_cast<size_t>(code);
  return value < std::size(kNames) ? kNames[value] : "UNKNOWN";
}

ModelMetrics::ModelMetrics(std::string model, std::string version)
    : request_duration(LatencyBounds(), 1e-9),
      queue_duration(LatencyBounds(), 1e-9),
      compute_duration(LatencyBounds(), 1e-9),
      batch_size(BatchSizeBounds(), 1),
      model_(std::move(model)),
      version_(std::move(version)) {}

prometheus::ClientMetric ModelMetrics::Labelled(prometheus::ClientMetric metric) const {
  metric.label.push_back({"model", model_});
  metric.label.push_back({"version", version_});
  return metric;
}

}  // namespace rml
