#include <gtest/gtest.h>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

struct Case {
  std::vector<Shape> shapes;
  int64_t axis;
};

std::vector<Case> Cases() {
  return {{{{5}}, 0},
          {{{2, 3}, {4, 3}}, 0},
          {{{2, 3}, {2, 5}, {2, 1}}, 1},
          {{{2, 3, 4}, {2, 1, 4}}, 1},
          {{{2, 3, 1}, {2, 3, 1}}, 2},
          {{{0, 3}, {2, 3}, {0, 3}}, 0},
          {{{2, 0}, {2, 0}}, 1},
          {{{0, 2}, {0, 3}}, 1},
          {{{1, 2, 3, 5}, {1, 7, 3, 5}}, 1},
          {{{300, 300}, {300, 11}}, 1},
          {{{300, 300}, {7, 300}}, 0}};
}

TEST(ConcatStep, FloatsAndIntegersKeepTheirBits) {
  TestData data;
  for (const Case& c : Cases()) {
    SCOPED_TRACE(ToString(c.shapes[0]) + " axis " + std::to_string(c.axis));
    StepTest floats("concat", {{"axis", IntAttr(c.axis)}});
    StepTest integers("concat", {{"axis", IntAttr(c.axis)}});
    for (const Shape& shape : c.shapes) {
      floats.Input(data.Specials(shape));
      integers.Input(data.Integers(shape, -1000000000, 1000000000));
    }
    floats.Check(kExact);
    integers.Check(kExact);
  }
}

}  // namespace
}  // namespace rml
