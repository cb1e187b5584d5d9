#include "loadtest/svg_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rml {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SvgPlotTest, PointsStandWhereTheyBelong) {
  const std::string svg =
      SvgPlot({.title = "T", .x_label = "x", .y_label = "y", .series = {{"s", {{0, 0}, {5, 10}, {10, 5}}}}});
  // The area is 70..600 by 255..30.
  EXPECT_THAT(svg, HasSubstr("points=\"70.0,255.0 335.0,30.0 600.0,142.5 \""));
  EXPECT_THAT(svg, HasSubstr(">10</text>"));
}

TEST(SvgPlotTest, TextIsEscaped) {
  const std::string svg = SvgPlot({.title = "<b>&\"'", .x_label = "x", .y_label = "y", .series = {{"s", {{1, 1}}}}});
  EXPECT_THAT(svg, HasSubstr("&lt;b&gt;&amp;&quot;&#39;"));
}

TEST(SvgPlotTest, NothingToPlot) {
  EXPECT_EQ(SvgPlot({.title = "T", .x_label = "x", .y_label = "y", .series = {{"s", {}}}}), "");
  // All the same: a range of its own, no division by zero.
  const std::string flat = SvgPlot({.title = "T", .x_label = "x", .y_label = "y", .series = {{"s", {{3, 0}, {3, 0}}}}});
  EXPECT_THAT(flat, Not(HasSubstr("nan")));
}

TEST(SvgPlotTest, GivenTicksAreShownWhereTheyFit) {
  const std::string svg = SvgPlot({.title = "T",
                                   .x_label = "x",
                                   .y_label = "y",
                                   .series = {{"s", {{0, 1}, {2, 1}}}},
                                   .x_ticks = {{1, "ninety"}, {3, "beyond"}}});
  EXPECT_THAT(svg, HasSubstr("ninety"));
  EXPECT_THAT(svg, Not(HasSubstr("beyond")));
}

}  // namespace
}  // namespace rml
