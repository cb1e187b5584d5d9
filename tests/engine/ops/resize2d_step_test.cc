#include <gtest/gtest.h>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

struct Case {
  Shape x;
  std::vector<int64_t> size;
};

std::vector<Case> Cases() {
  return {{{1, 1, 1, 1}, {1, 1}}, {{1, 1, 1, 1}, {3, 4}},       {{2, 3, 4, 5}, {8, 10}}, {{2, 3, 4, 5}, {4, 5}},
          {{2, 3, 7, 9}, {3, 4}}, {{1, 2, 13, 11}, {5, 40}},    {{1, 2, 40, 3}, {7, 2}}, {{0, 2, 4, 4}, {8, 8}},
          {{2, 0, 4, 4}, {8, 8}}, {{1, 3, 90, 100}, {180, 200}}};
}

// Every mode with coordinates of every kind.
std::vector<Attrs> Modes() {
  const auto text = [](const char* value) { return StringAttr(value); };
  std::vector<Attrs> modes;
  for (const char* rounding : {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}) {
    modes.push_back({{"mode", text("nearest")}, {"coordinates", text("half_pixel")}, {"rounding", text(rounding)}});
  }
  for (const char* coordinates : {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}) {
    modes.push_back({{"mode", text("linear")}, {"coordinates", text(coordinates)}});
  }
  modes.push_back(
      {{"mode", text("linear")}, {"coordinates", text("half_pixel_symmetric")}, {"scale_h", 1.3}, {"scale_w", 0.7}});
  for (bool exclude : {false, true}) {
    modes.push_back({{"mode", text("cubic")}, {"cubic_a", -0.75}, {"exclude_outside", exclude}});
  }
  return modes;
}

TEST(Resize2dStep, EveryModeSizeAndLayout) {
  TestData data;
  for (const Attrs& mode : Modes()) {
    for (const Case& c : Cases()) {
      SCOPED_TRACE(std::get<std::string>(mode[0].second) + ToString(c.x) + " to " + std::to_string(c.size[0]) + " x " +
                   std::to_string(c.size[1]));
      Attrs attrs = mode;
      attrs.emplace_back("size", std::vector<Dim>(c.size.begin(), c.size.end()));
      const bool moves = std::get<std::string>(mode[0].second) == "nearest";
      StepTest(std::string("resize2d"), attrs)
          .Input(moves ? data.Specials(c.x) : data.Uniform(c.x))
          .Check(moves ? kExact : Tolerance{2e-6, 0});
    }
  }
}

TEST(Resize2dStep, ReadsEveryLayoutAndRowsDoNotDependOnTheBatch) {
  TestData data;
  StepTest test("resize2d", {{"mode", StringAttr("linear")}, {"size", IntsAttr({9, 5})}});
  test.Input(data.Uniform({5, 2, 4, 7}));
  for (const Layout layout : {Layout::kGaps, Layout::kTransposed, Layout::kStepped, Layout::kFlipped}) {
    EXPECT_TRUE(test.ReadsInPlace(0, layout));
  }
  test.CheckRowsAlone({0});
}

}  // namespace
}  // namespace rml
