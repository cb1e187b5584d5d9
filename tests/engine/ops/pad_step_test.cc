#include <gtest/gtest.h>

#include <limits>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

struct Case {
  Shape shape;
  std::vector<int64_t> before, after;
};

std::vector<Case> Cases() {
  return {{{}, {}, {}},
          {{5}, {2}, {3}},
          {{2, 3}, {0, 0}, {0, 0}},
          {{2, 3}, {1, 0}, {0, 2}},
          {{2, 3, 4, 5}, {0, 0, 1, 2}, {0, 0, 2, 1}},
          {{0, 3}, {1, 1}, {2, 0}},
          {{2, 0}, {0, 3}, {0, 0}},
          {{3, 1, 2}, {1, 1, 0}, {1, 1, 0}},
          {{300, 401}, {1, 2}, {3, 4}}};
}

Attrs PadAttrs(const Case& c, double value) {
  return {{"before", std::vector<Dim>(c.before.begin(), c.before.end())},
          {"after", std::vector<Dim>(c.after.begin(), c.after.end())},
          {"value", value}};
}

TEST(PadStep, FloatsAndIntegers) {
  TestData data;
  for (const Case& c : Cases()) {
    SCOPED_TRACE(ToString(c.shape));
    StepTest("pad", PadAttrs(c, 0.25)).Input(data.Specials(c.shape)).Check(kExact);
    StepTest("pad", PadAttrs(c, -7.0)).Input(data.Integers(c.shape, -9, 9)).Check(kExact);
  }
}

TEST(PadStep, Infinity) {
  TestData data;
  const Case c{{2, 3}, {1, 1}, {1, 1}};
  StepTest("pad", PadAttrs(c, -std::numeric_limits<double>::infinity())).Input(data.Uniform(c.shape)).Check(kExact);
}

}  // namespace
}  // namespace rml
