#include <nlohmann/json.hpp>

#include "examples/graph_run/graph_run.h"

namespace rml {

std::string ToJson(const GraphRunResult& result) {
  nlohmann::ordered_json json = {
      {"model", result.model}, {"threads", result.threads}, {"batch", result.batch}, {"load_ms", result.load_ms}};
  if (result.max_abs_error) json["max_abs_error"] = *result.max_abs_error;
  if (result.latency) {
    json["iterations"] = result.latency->iterations;
    json["mean_us"] = result.latency->mean_us;
    json["min_us"] = result.latency->min_us;
    json["p10_us"] = result.latency->p10_us;
    json["median_us"] = result.latency->median_us;
    json["p90_us"] = result.latency->p90_us;
  }
  if (result.profile) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const ProfileRow& row : *result.profile) {
      rows.push_back({{"label", row.label},
                      {"nodes", row.nodes},
                      {"calls", row.calls},
                      {"seconds", row.seconds},
                      {"share", row.share},
                      {"gflops", row.gflops},
                      {"gbytes", row.gbytes},
                      {"kernel", row.kernel},
                      {"width", row.width},
                      {"peak_share", row.peak_share}});
    }
    json["profile"] = rows;
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace rml
