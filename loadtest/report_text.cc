#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cpp/text_table.h"
#include "loadtest/report.h"

namespace rml {
namespace {

using Row = std::vector<std::string>;

constexpr std::array<double, 5> kPercentiles = {50, 90, 95, 99, 99.9};

std::string Time(int64_t ns) { return FormatSeconds(static_cast<double>(ns) * 1e-9); }

Row LatencyRow(const std::string& name, const Histogram& latency, double seconds) {
  Row row = {name, absl::StrCat(latency.count()),
             absl::StrFormat("%.1f", seconds > 0 ? static_cast<double>(latency.count()) / seconds : 0.0)};
  for (const double percent : kPercentiles) row.push_back(Time(latency.Percentile(percent)));
  row.push_back(Time(latency.max()));
  return row;
}

std::string LatencyTable(const RunStats& stats) {
  std::vector<Row> rows;
  for (const ModelStats& model : stats.models) {
    rows.push_back(LatencyRow(model.model, model.latency, stats.measured_seconds));
  }
  if (rows.size() > 1) rows.push_back(LatencyRow("all", stats.latency, stats.measured_seconds));
  return FormatTable({"model", ">answers", ">a second", ">p50", ">p90", ">p95", ">p99", ">p99.9", ">max"}, rows);
}

std::string PhaseTable(const RunStats& stats) {
  std::vector<Row> rows;
  for (const ModelStats& model : stats.models) {
    if (model.compute.count() == 0) continue;
    for (const auto& [phase, times] : {std::pair<const char*, const Histogram*>{"queue", &model.queue},
                                       {"compute", &model.compute},
                                       {"rest", &model.rest}}) {
      rows.push_back({model.model, phase, Time(static_cast<int64_t>(times->mean())), Time(times->Percentile(50)),
                      Time(times->Percentile(99)), Time(times->max())});
    }
  }
  return rows.empty() ? "" : "\n" + FormatTable({"model", "phase", ">mean", ">p50", ">p99", ">max"}, rows);
}

std::string Answers(const RunStats& stats) {
  int64_t other_bits = 0;
  for (const ModelStats& model : stats.models) other_bits += model.other_bits;
  std::string text = absl::StrFormat("answers   every one compared with the golden file: %d wrong", stats.wrong);
  if (other_bits > 0) absl::StrAppend(&text, ", ", other_bits, " right ones with other bits than the first");
  return text + "\n";
}

std::string Usage(const StepReport& step) {
  std::string text;
  if (step.server) {
    absl::StrAppend(
        &text,
        absl::StrFormat("server    process %d: %.2f cores, %d threads, memory %s at the start, %s at most, %s at "
                        "the end\n",
                        step.server->pid, step.server->cpu_seconds / step.wall_seconds, step.server->threads,
                        FormatBytes(static_cast<double>(step.server->rss_start_bytes)),
                        FormatBytes(static_cast<double>(step.server->rss_peak_bytes)),
                        FormatBytes(static_cast<double>(step.server->rss_end_bytes))));
  }
  return text + absl::StrFormat("generator %.2f cores\n", step.own_cpu_seconds / step.wall_seconds);
}

std::string StepText(const StepReport& step) {
  const RunStats& stats = step.stats;
  std::string text = LoadText(step) + "\n\n" + LatencyTable(stats) + PhaseTable(stats) + "\n";
  if (stats.latency.count() > 0) {
    const Histogram::Interval p99 = stats.latency.PercentileInterval(99);
    absl::StrAppend(&text, "p99       between ", Time(p99.low), " and ", Time(p99.high), " with 95 % confidence\n");
  }
  if (step.rate > 0) {
    absl::StrAppend(&text, "sent late ", Time(stats.lateness.Percentile(50)), " p50, ",
                    Time(stats.lateness.Percentile(99)), " p99, ", Time(stats.lateness.max()), " at most\n");
  }
  absl::StrAppend(&text, Answers(stats));
  for (const auto& [code, error] : stats.errors) {
    absl::StrAppend(&text, "errors    ", error.count, " ", std::string(absl::StatusCodeToString(code)),
                    ", the first: ", error.first_message, "\n");
  }
  return text + Usage(step);
}

// A step a line.
std::string StepTable(const LoadReport& report) {
  std::vector<Row> rows;
  for (const StepReport& step : report.steps) {
    Row row = LatencyRow(LoadText(step), step.stats.latency, step.stats.measured_seconds);
    row.push_back(Time(step.stats.lateness.Percentile(99)));
    row.push_back(absl::StrCat(step.stats.num_errors() + step.stats.wrong + step.stats.not_sent));
    row.push_back(step.invalid.empty() ? "VALID" : "INVALID");
    rows.push_back(std::move(row));
  }
  return FormatTable({"load", ">answers", ">a second", ">p50", ">p90", ">p95", ">p99", ">p99.9", ">max", ">late p99",
                      ">failed", "verdict"},
                     rows);
}

std::string SearchText(const SearchReport& search) {
  std::string text = search.best_rate > 0 ? absl::StrFormat("%.4g requests a second are borne", search.best_rate)
                                          : std::string("no rate is borne");
  absl::StrAppend(&text, " with p99 within ", FormatSeconds(search.max_p99_seconds), "\n");
  if (!search.limit.empty()) absl::StrAppend(&text, "more are not: ", search.limit, "\n");
  return text + "\n";
}

}  // namespace

std::string LoadText(const StepReport& step) {
  if (step.rate > 0) return absl::StrFormat("open loop, %.4g/s", step.rate);
  return absl::StrFormat("closed loop, %d worker%s", step.workers, step.workers == 1 ? "" : "s");
}

std::string ReportText(const LoadReport& report) {
  std::string text = absl::StrFormat("%s, %s, %g s after %g s of warm-up, seed %d\n", report.server, report.protocol,
                                     report.duration_seconds, report.warm_up_seconds, report.seed);
  if (report.steps.size() > 1) {
    absl::StrAppend(&text, "\n", StepTable(report), "\n");
  } else {
    for (const StepReport& step : report.steps) absl::StrAppend(&text, StepText(step), "\n");
  }
  if (report.search) absl::StrAppend(&text, SearchText(*report.search));
  absl::StrAppend(&text, report.valid() ? "VALID\n" : "INVALID\n");
  for (const std::string& reason : report.invalid) absl::StrAppend(&text, "  ", reason, "\n");
  return text;
}

}  // namespace rml
