#include "server/metrics/registry.h"

#include <functional>
#include <utility>

#include "prometheus/text_serializer.h"
#include "server/metrics/process_metrics.h"

namespace rml {
namespace {

using Models = std::vector<std::shared_ptr<ModelMetrics>>;
using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

ClientMetric Gauge(double value) {
  ClientMetric metric;
  metric.gauge.value = value;
  return metric;
}

ClientMetric Counter(double value) {
  ClientMetric metric;
  metric.counter.value = value;
  return metric;
}

// One series per model.
MetricFamily PerModel(const char* name, const char* help, MetricType type, const Models& models,
                      const std::function<ClientMetric(const ModelMetrics&)>& read) {
  MetricFamily family{name, help, type, {}};
  for (const auto& model : models) family.metric.push_back(model->Labelled(read(*model)));
  return family;
}

// One series per model, method and code that has occurred.
MetricFamily Requests(const Models& models, const ModelMetrics& unknown_model) {
  MetricFamily family{
      "rml_requests_total", "Requests answered, by method and gRPC status code.", MetricType::Counter, {}};
  const auto add = [&family](const ModelMetrics& model) {
    for (size_t method = 0; method < kMethodNames.size(); ++method) {
      for (int code = 0; code < ModelMetrics::kNumCodes; ++code) {
        const uint64_t count = model.Requests(static_cast<Method>(method), code);
        if (count == 0) continue;
        ClientMetric metric = model.Labelled(Counter(static_cast<double>(count)));
        metric.label.push_back({"method", kMethodNames[method]});
        metric.label.push_back({"code", StatusCodeName(static_cast<absl::StatusCode>(code))});
        family.metric.push_back(std::move(metric));
      }
    }
  };
  for (const auto& model : models) add(*model);
  add(unknown_model);
  return family;
}

}  // namespace

MetricsRegistry::MetricsRegistry(BuildLabels build)
    : build_(std::move(build)), unknown_model_(std::make_shared<ModelMetrics>("", "")) {}

std::shared_ptr<ModelMetrics> MetricsRegistry::ForModel(const std::string& model, int64_t version) {
  const std::pair<std::string, int64_t> key(model, version);
  MutexLock lock(mutex_);
  for (const auto& [known, metrics] : models_) {
    if (known == key) return metrics;
  }
  models_.emplace_back(key, std::make_shared<ModelMetrics>(model, std::to_string(version)));
  return models_.back().second;
}

void MetricsRegistry::Drop(const std::string& model, int64_t version) {
  MutexLock lock(mutex_);
  std::erase_if(models_, [&](const auto& known) { return known.first == std::pair(model, version); });
}

std::vector<std::shared_ptr<ModelMetrics>> MetricsRegistry::Models() const {
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<ModelMetrics>> models;
  for (const auto& [key, metrics] : models_) models.push_back(metrics);
  return models;
}

std::vector<MetricFamily> MetricsRegistry::Collect() const {
  const rml::Models models = Models();
  std::vector<MetricFamily> families;
  families.push_back(Requests(models, *unknown_model_));
  const auto histogram = [&](const char* name, const char* help, Histogram ModelMetrics::* member) {
    families.push_back(PerModel(name, help, MetricType::Histogram, models,
                                [member](const ModelMetrics& m) { return (m.*member).Collect(); }));
  };
  const auto gauge = [&](const char* name, const char* help, auto ModelMetrics::* member) {
    families.push_back(PerModel(name, help, MetricType::Gauge, models, [member](const ModelMetrics& m) {
      return Gauge(static_cast<double>((m.*member).load(std::memory_order_relaxed)));
    }));
  };
  histogram("rml_request_duration_seconds", "From a decoded inference request to its answer.",
            &ModelMetrics::request_duration);
  histogram("rml_queue_duration_seconds", "Waiting for an instance.", &ModelMetrics::queue_duration);
  histogram("rml_compute_duration_seconds", "Running the model.", &ModelMetrics::compute_duration);
  histogram("rml_batch_size", "Rows in one execution.", &ModelMetrics::batch_size);
  gauge("rml_requests_in_flight", "Inference and Profile requests not answered yet.", &ModelMetrics::in_flight);
  gauge("rml_queue_depth", "Requests that wait for an instance.", &ModelMetrics::queue_depth);
  gauge("rml_model_ready", "1 if the version is loaded, verified and warm.", &ModelMetrics::ready);
  gauge("rml_model_memory_bytes", "Weights, packed weights and working memory.", &ModelMetrics::memory_bytes);
  families.push_back(PerModel(
      "rml_wasted_compute_seconds_total", "Computing for requests that were cancelled or late.", MetricType::Counter,
      models, [](const ModelMetrics& m) { return Counter(static_cast<double>(m.wasted_compute_ns.Value()) * 1e-9); }));

  MetricFamily loads{"rml_model_loads_total", "Attempts to load a model version.", MetricType::Counter, {}};
  for (const auto& [result, counter] :
       {std::pair("success", &loads_succeeded_), std::pair("failure", &loads_failed_)}) {
    loads.metric.push_back(Counter(static_cast<double>(counter->Value())));
    loads.metric.back().label.push_back({"result", result});
  }
  families.push_back(std::move(loads));

  MetricFamily build{"rml_build_info", "Always 1; the labels say what runs.", MetricType::Gauge, {Gauge(1)}};
  build.metric[0].label = {{"version", build_.version}, {"numerics", build_.numerics}, {"isa", build_.isa}};
  families.push_back(std::move(build));
  AppendProcessMetrics(families);
  return families;
}

std::string MetricsRegistry::Text() const { return prometheus::TextSerializer().Serialize(Collect()); }

}  // namespace rml
