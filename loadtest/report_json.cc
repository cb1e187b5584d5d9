#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_format.h"
#include "loadtest/report.h"

namespace rml {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<double, 7> kPercentiles = {10, 50, 90, 95, 99, 99.9, 99.99};

double Milliseconds(double ns) { return ns * 1e-6; }

Json TimesJson(const Histogram& times) {
  Json json = {{"count", times.count()},
               {"mean", Milliseconds(times.mean())},
               {"min", Milliseconds(static_cast<double>(times.min()))}};
  for (const double percent : kPercentiles) {
    json[absl::StrFormat("p%g", percent)] = Milliseconds(static_cast<double>(times.Percentile(percent)));
  }
  json["max"] = Milliseconds(static_cast<double>(times.max()));
  return json;
}

Json ModelJson(const ModelStats& model) {
  Json json = {{"model", model.model},
               {"latency_ms", TimesJson(model.latency)},
               {"other_bits", model.other_bits},
               {"wrong", model.wrong},
               {"errors", model.errors}};
  if (model.compute.count() > 0) {
    json["queue_ms"] = TimesJson(model.queue);
    json["compute_ms"] = TimesJson(model.compute);
    json["rest_ms"] = TimesJson(model.rest);
  }
  return json;
}

Json ErrorsJson(const RunStats& stats) {
  Json json = Json::object();
  for (const auto& [code, error] : stats.errors) {
    json[std::string(absl::StatusCodeToString(code))] = {{"count", error.count}, {"first", error.first_message}};
  }
  return json;
}

Json StepJson(const StepReport& step) {
  const RunStats& stats = step.stats;
  Json json = step.rate > 0 ? Json{{"rate", step.rate}} : Json{{"workers", step.workers}};
  const Histogram::Interval p99 = stats.latency.PercentileInterval(99);
  json.update(Json{
      {"valid", step.invalid.empty()},
      {"invalid", step.invalid},
      {"answers_per_second", stats.rate()},
      {"latency_ms", TimesJson(stats.latency)},
      {"p99_interval_ms", {Milliseconds(static_cast<double>(p99.low)), Milliseconds(static_cast<double>(p99.high))}},
      {"lateness_ms", TimesJson(stats.lateness)},
      {"sent", stats.sent},
      {"not_sent", stats.not_sent},
      {"wrong", stats.wrong},
      {"first_wrong", stats.first_wrong},
      {"errors", ErrorsJson(stats)},
      {"longest_silence_seconds", stats.longest_silence_seconds},
      {"measured_seconds", stats.measured_seconds},
      {"generator_cores", step.wall_seconds > 0 ? step.own_cpu_seconds / step.wall_seconds : 0},
      {"models", Json::array()}});
  for (const ModelStats& model : stats.models) json["models"].push_back(ModelJson(model));
  if (step.server) {
    json["server"] = {{"pid", step.server->pid},
                      {"cores", step.wall_seconds > 0 ? step.server->cpu_seconds / step.wall_seconds : 0},
                      {"threads", step.server->threads},
                      {"rss_start_bytes", step.server->rss_start_bytes},
                      {"rss_peak_bytes", step.server->rss_peak_bytes},
                      {"rss_end_bytes", step.server->rss_end_bytes}};
  }
  return json;
}

}  // namespace

std::string ReportJson(const LoadReport& report) {
  Json json = {{"valid", report.valid()},
               {"invalid", report.invalid},
               {"server", report.server},
               {"protocol", report.protocol},
               {"host", report.host},
               {"command", report.command},
               {"seed", report.seed},
               {"warm_up_seconds", report.warm_up_seconds},
               {"duration_seconds", report.duration_seconds},
               {"models", Json::array()},
               {"steps", Json::array()}};
  for (const ReportModel& model : report.models) {
    json["models"].push_back({{"name", model.name}, {"weight", model.weight}, {"golden", model.golden}});
  }
  for (const StepReport& step : report.steps) json["steps"].push_back(StepJson(step));
  if (report.search) {
    json["search"] = {{"max_p99_ms", report.search->max_p99_seconds * 1e3},
                      {"best_rate", report.search->best_rate},
                      {"limit", report.search->limit}};
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rml
