#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "loadtest/report.h"
#include "loadtest/svg_plot.h"

namespace rml {
namespace {

double Milliseconds(int64_t ns) { return static_cast<double>(ns) * 1e-6; }

// Latencies of an interval against the time of its middle.
Plot LatencyOverTime(const RunStats& stats) {
  Plot plot{.title = "Latency over time", .x_label = "s, intended send", .y_label = "ms", .series = {}};
  for (const double percent : {50.0, 99.0, 100.0}) {
    PlotSeries series{.name = percent == 100 ? "max" : absl::StrFormat("p%g", percent), .points = {}};
    for (size_t i = 0; i < stats.intervals.size(); ++i) {
      const Histogram& latency = stats.intervals[i].latency;
      if (latency.count() == 0) continue;
      series.points.emplace_back((static_cast<double>(i) + 0.5) * stats.interval_seconds,
                                 Milliseconds(latency.Percentile(percent)));
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

Plot RateOverTime(const RunStats& stats) {
  PlotSeries right{.name = "right", .points = {}};
  PlotSeries failed{.name = "failed", .points = {}};
  for (size_t i = 0; i < stats.intervals.size(); ++i) {
    const double seconds = (static_cast<double>(i) + 0.5) * stats.interval_seconds;
    const auto a_second = [&](int64_t count) { return static_cast<double>(count) / stats.interval_seconds; };
    right.points.emplace_back(seconds, a_second(stats.intervals[i].latency.count()));
    failed.points.emplace_back(seconds, a_second(stats.intervals[i].failed));
  }
  return {.title = "Requests over time",
          .x_label = "s, intended send",
          .y_label = "1/s",
          .series = {std::move(right), std::move(failed)}};
}

// Latency against percentile, one "nine" more an equal step to the right.
Plot PercentileCurve(const RunStats& stats) {
  Plot plot{
      .title = "Latency by percentile",
      .x_label = "percent of the requests are faster",
      .y_label = "ms",
      .series = {},
      .x_ticks = {{0, "0"}, {std::log10(2), "50"}, {1, "90"}, {2, "99"}, {3, "99.9"}, {4, "99.99"}, {5, "99.999"}}};
  for (const ModelStats& model : stats.models) {
    PlotSeries series{.name = model.model, .points = {}};
    // As far as there are requests beyond.
    constexpr int kPointsPerNine = 20;
    const double nines = std::log10(std::max<double>(1, static_cast<double>(model.latency.count())));
    for (int i = 0; i <= nines * kPointsPerNine && model.latency.count() > 0; ++i) {
      const double x = static_cast<double>(i) / kPointsPerNine;
      series.points.emplace_back(x, Milliseconds(model.latency.Percentile(100 * (1 - std::pow(10, -x)))));
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

// Of several open loops.
Plot LatencyByRate(const LoadReport& report) {
  Plot plot{.title = "Latency by rate", .x_label = "requests a second", .y_label = "ms", .series = {}};
  for (const double percent : {50.0, 90.0, 99.0}) {
    PlotSeries series{.name = absl::StrFormat("p%g", percent), .points = {}};
    for (const StepReport& step : report.steps) {
      series.points.emplace_back(step.rate, Milliseconds(step.stats.latency.Percentile(percent)));
    }
    std::sort(series.points.begin(), series.points.end());
    plot.series.push_back(std::move(series));
  }
  return plot;
}

constexpr char kHead[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>rml-loadtest</title>\n<style>"
    "body{font-family:sans-serif;max-width:60em;margin:2em auto;color:#222}"
    "pre{background:#f6f6f6;padding:1em;overflow:auto}"
    ".valid{color:#080}.invalid{color:#b00}svg{max-width:100%;height:auto}</style></head><body>\n";

}  // namespace

std::string ReportHtml(const LoadReport& report) {
  std::string html = kHead;
  absl::StrAppend(&html, "<h1>Load test of ", EscapeXml(report.server), ": <span class=\"",
                  report.valid() ? "valid\">VALID" : "invalid\">INVALID", "</span></h1>\n<p>", EscapeXml(report.host),
                  "</p>\n<p><code>", EscapeXml(report.command), "</code></p>\n<pre>", EscapeXml(ReportText(report)),
                  "</pre>\n");
  if (report.steps.size() > 1) absl::StrAppend(&html, SvgPlot(LatencyByRate(report)));
  for (const StepReport& step : report.steps) {
    absl::StrAppend(&html, "<h2>", EscapeXml(LoadText(step)), "</h2>\n", SvgPlot(LatencyOverTime(step.stats)),
                    SvgPlot(PercentileCurve(step.stats)), SvgPlot(RateOverTime(step.stats)));
  }
  return html + "</body></html>\n";
}

}  // namespace rml
