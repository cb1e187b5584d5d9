// argmax, argmin and cumsum along every axis, on every layout.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

struct Case {
  Shape shape;
  int64_t axis;
};

// Columns side by side (above and below a block of 64), one after the other, and long ones.
std::vector<Case> Cases() {
  return {{{1}, 0},        {{7}, 0},       {{3, 5}, 0},      {{3, 5}, 1}, {{2, 3, 4}, 1},       {{5, 70}, 0},
          {{5, 4, 33}, 1}, {{70, 3}, 1},   {{9, 130, 2}, 1}, {{0, 3}, 1}, {{2, 3, 1, 2, 5}, 3}, {{4, 2, 1}, 2},
          {{300, 401}, 0}, {{300, 401}, 1}};
}

TEST(ScanStep, ArgExtremes) {
  TestData data;
  for (const Case& c : Cases()) {
    for (const char* op : {"argmax", "argmin"}) {
      SCOPED_TRACE(std::string(op) + " " + ToString(c.shape) + " axis " + std::to_string(c.axis));
      const Attrs attrs = {{"axis", IntAttr(c.axis)}, {"keep_dims", c.axis % 2 == 0}};
      StepTest(op, attrs).Input(data.WholeNumbers(c.shape)).Check(kExact);  // ties
      StepTest(op, attrs).Input(data.Specials(c.shape)).Check(kExact);
      StepTest(op, attrs).Input(data.Integers(c.shape, -3, 3)).Check(kExact);
    }
  }
}

TEST(ScanStep, Cumsum) {
  TestData data;
  for (const Case& c : Cases()) {
    for (int form = 0; form < 4; ++form) {
      SCOPED_TRACE(ToString(c.shape) + " axis " + std::to_string(c.axis) + " form " + std::to_string(form));
      const Attrs attrs = {{"axis", IntAttr(c.axis)}, {"exclusive", form % 2 == 1}, {"reverse", form / 2 == 1}};
      StepTest("cumsum", attrs).Input(data.Uniform(c.shape)).Check(kExact);
      StepTest("cumsum", attrs).Input(data.Integers(c.shape, INT32_MIN, INT32_MAX)).Check(kExact);
      if (form == 0) StepTest("cumsum", attrs).Input(data.Specials(c.shape)).Check(kExact);
    }
  }
}

TEST(ScanStep, RowsDoNotDependOnTheBatch) {
  TestData data;
  StepTest("cumsum", {{"axis", IntAttr(1)}}).Input(data.Uniform({6, 31})).CheckRowsAlone({0});
  StepTest("argmax", {{"axis", IntAttr(2)}}).Input(data.WholeNumbers({6, 3, 31})).CheckRowsAlone({0});
}

}  // namespace
}  // namespace rml
