#include "loadtest/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace rml {
namespace {

constexpr double kWidth = 720, kHeight = 300;
constexpr double kLeft = 70, kRight = 120, kTop = 30, kBottom = 45;
// Okabe and Ito's colours, which also people with colour blindness can tell apart.
constexpr std::array<const char*, 6> kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"};

struct Range {
  double low = 0, high = 1;
  double Share(double value) const { return (value - low) / (high - low); }
};

// From the smallest to the largest, never empty.
Range Widen(double low, double high) { return {low, high > low ? high : low + 1}; }

// About five round numbers of the range.
std::vector<PlotTick> RoundTicks(const Range& range) {
  const double rough = (range.high - range.low) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double mantissa = rough / power;
  const double step = power * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
  std::vector<PlotTick> ticks;
  const double first = std::ceil(range.low / step);
  for (int i = 0; (first + i) * step <= range.high * (1 + 1e-9); ++i) {
    const double at = (first + i) * step;
    ticks.push_back({at, absl::StrFormat("%g", at)});
  }
  return ticks;
}

class Canvas {
 public:
  Canvas(const Range& x, const Range& y) : x_(x), y_(y) {}

  double X(double value) const { return kLeft + x_.Share(value) * (kWidth - kLeft - kRight); }
  double Y(double value) const { return kHeight - kBottom - y_.Share(value) * (kHeight - kTop - kBottom); }

  void Line(double x1, double y1, double x2, double y2) {
    absl::StrAppendFormat(&svg_, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", x1, y1,
                          x2, y2);
  }

  void Text(double x, double y, const char* anchor, const std::string& text, const char* colour = "#333") {
    absl::StrAppendFormat(&svg_, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n", x, y, anchor,
                          colour, EscapeXml(text));
  }

  void Curve(const PlotSeries& series, const char* colour) {
    std::string points;
    for (const auto& [x, y] : series.points) absl::StrAppendFormat(&points, "%.1f,%.1f ", X(x), Y(y));
    absl::StrAppendFormat(&svg_, "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", points,
                          colour);
  }

  std::string Finish() const {
    return absl::StrFormat(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n%s</svg>\n",
        kWidth, kHeight, kWidth, kHeight, svg_);
  }

 private:
  const Range x_, y_;
  std::string svg_;
};

}  // namespace

std::string EscapeXml(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

std::string SvgPlot(const Plot& plot) {
  std::vector<std::pair<double, double>> all;
  for (const PlotSeries& series : plot.series) all.insert(all.end(), series.points.begin(), series.points.end());
  if (all.empty()) return "";
  const auto [first, last] = std::minmax_element(all.begin(), all.end());
  double highest = 0;
  for (const auto& [x, y] : all) highest = std::max(highest, y);
  const Range x = Widen(first->first, last->first);
  const Range y = Widen(0, highest);
  Canvas canvas(x, y);
  for (const PlotTick& tick : RoundTicks(y)) {
    canvas.Line(kLeft, canvas.Y(tick.at), kWidth - kRight, canvas.Y(tick.at));
    canvas.Text(kLeft - 6, canvas.Y(tick.at) + 4, "end", tick.label);
  }
  for (const PlotTick& tick : plot.x_ticks.empty() ? RoundTicks(x) : plot.x_ticks) {
    if (tick.at < x.low || tick.at > x.high) continue;
    canvas.Line(canvas.X(tick.at), kTop, canvas.X(tick.at), kHeight - kBottom);
    canvas.Text(canvas.X(tick.at), kHeight - kBottom + 16, "middle", tick.label);
  }
  canvas.Text(kLeft, 18, "start", plot.title + " (" + plot.y_label + ")");
  canvas.Text((kLeft + kWidth - kRight) / 2, kHeight - 10, "middle", plot.x_label);
  for (size_t i = 0; i < plot.series.size(); ++i) {
    const char* colour = kColours[i % kColours.size()];
    canvas.Curve(plot.series[i], colour);
    canvas.Text(kWidth - kRight + 10, kTop + 16 * static_cast<double>(i + 1), "start", plot.series[i].name, colour);
  }
  return canvas.Finish();
}

}  // namespace rml
