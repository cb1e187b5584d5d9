#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

struct Shapes {
  Shape c, a, b;
};

std::vector<Shapes> Triples() {
  return {{{2, 3}, {2, 3}, {2, 3}},
          {{}, {}, {}},
          {{5}, {}, {}},
          {{}, {5}, {3, 5}},
          {{}, {}, {5}},
          {{7, 1}, {13}, {}},
          {{7, 1}, {7, 13}, {13}},
          {{13}, {7, 1}, {7, 13}},
          {{0, 4}, {4}, {}},
          {{2, 1, 5}, {3, 1}, {2, 3, 5}},
          {{300, 401}, {401}, {}},
          {{300, 1}, {300, 401}, {1}},
          {{1, 70001}, {70001}, {1, 1}}};
}

TEST(WhereStep, FloatsKeepTheirBits) {
  TestData data;
  for (const Shapes& shapes : Triples()) {
    SCOPED_TRACE(ToString(shapes.c) + " " + ToString(shapes.a) + " " + ToString(shapes.b));
    StepTest("where", {})
        .Input(data.WholeNumbers(shapes.c, 0, 1))
        .Input(data.Specials(shapes.a))
        .Input(data.Specials(shapes.b))
        .Check(kExact);
  }
}

TEST(WhereStep, Integers) {
  TestData data;
  for (const Shapes& shapes : Triples()) {
    SCOPED_TRACE(ToString(shapes.c) + " " + ToString(shapes.a) + " " + ToString(shapes.b));
    StepTest("where", {})
        .Input(data.WholeNumbers(shapes.c, -1, 1))
        .Input(data.Integers(shapes.a, -1000000000, 1000000000))
        .Input(data.Integers(shapes.b, -1000000000, 1000000000))
        .Check(kExact);
  }
}

TEST(WhereStep, NanConditionIsTrueAndNegativeZeroFalse) {
  const float nan = std::nanf("");
  StepTest test("where", {});
  test.Input(F32({3}, {nan, -0.0f, 0.5f})).Input(F32({}, {1})).Input(F32({}, {2}));
  test.Check(kExact);
  const auto y = test.Run({.kernels = AvailableKernels().back()});
  ASSERT_TRUE(y.ok()) << y.status();
  ExpectSameBits((*y)[0], F32({3}, {1, 2, 1}));
}

}  // namespace
}  // namespace rml
