// Line plots as SVG, to be put into an HTML page.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rml {

struct PlotSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;  // by x
};

struct PlotTick {
  double at = 0;
  std::string label;
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<PlotSeries> series;
  std::vector<PlotTick> x_ticks{};  // where none are given: round numbers
};

// One <svg> element; y starts at 0. "" without points. Text is escaped.
std::string SvgPlot(const Plot& plot);

// Text for XML and HTML: & < > and quotes are entities.
std::string EscapeXml(const std::string& text);

}  // namespace rml
