#include "loadtest/verdict.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cpp/text_table.h"

namespace rml {
namespace {

std::string Time(int64_t ns) { return FormatSeconds(static_cast<double>(ns) * 1e-9); }

void CheckErrors(const RunStats& stats, const VerdictLimits& limits, std::vector<std::string>& reasons) {
  if (stats.wrong > 0) {
    reasons.push_back(
        absl::StrFormat("%d wrong answers; expected none. The first: %s", stats.wrong, stats.first_wrong));
  }
  if (stats.num_errors() > limits.max_errors) {
    std::vector<std::string> codes;
    for (const auto& [code, error] : stats.errors) {
      codes.push_back(absl::StrFormat("%d %s", error.count, absl::StatusCodeToString(code)));
    }
    reasons.push_back(absl::StrFormat("%d of %d requests failed (%s); at most %d may", stats.num_errors(), stats.sent,
                                      absl::StrJoin(codes, ", "), limits.max_errors));
  }
}

void CheckLateness(const RunStats& stats, const VerdictLimits& limits, std::vector<std::string>& reasons) {
  if (stats.latency.count() == 0) return;
  for (const int percent : {50, 99}) {
    const int64_t late = stats.lateness.Percentile(percent);
    const int64_t latency = stats.latency.Percentile(percent);
    if (static_cast<double>(late) <= limits.max_lateness * static_cast<double>(latency)) continue;
    reasons.push_back(
        absl::StrFormat("requests were sent late: p%d of lateness is %s; expected at most %g of the "
                        "latency's, which is %s",
                        percent, Time(late), limits.max_lateness, Time(latency)));
  }
}

}  // namespace

std::vector<std::string> InvalidReasons(const RunStats& stats, const VerdictLimits& limits) {
  std::vector<std::string> reasons;
  CheckErrors(stats, limits, reasons);
  // Models that take seconds are silent for seconds.
  const double usual = static_cast<double>(stats.latency.Percentile(50)) * 1e-9;
  const double silence = std::max(limits.max_silence_seconds, 5 * usual);
  if (stats.longest_silence_seconds > silence) {
    reasons.push_back(absl::StrFormat("the server stalled: no answer for %s with requests in flight; at most %s",
                                      FormatSeconds(stats.longest_silence_seconds), FormatSeconds(silence)));
  }
  if (stats.not_sent > 0) {
    reasons.push_back(absl::StrFormat("%d requests were not sent, as too many were in flight", stats.not_sent));
  }
  CheckLateness(stats, limits, reasons);
  if (stats.latency.count() < limits.min_samples) {
    reasons.push_back(
        absl::StrFormat("%d samples are too few; a p99 takes at least %d", stats.latency.count(), limits.min_samples));
  }
  return reasons;
}

}  // namespace rml
