#include <gtest/gtest.h>

#include <limits>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

std::vector<Attrs> Bounds() {
  return {{{"min", -0.5}, {"max", 0.75}},
          {{"min", 0.0}},
          {{"max", 6.0}},
          {{"min", 2.0}, {"max", -1.0}},
          {{"min", 1e-41}, {"max", 1.0}}};
}

TEST(ClampStep, Floats) {
  TestData data;
  for (const Attrs& attrs : Bounds()) {
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{0, 3}, Shape{3, 5, 7}, Shape{17}, Shape{300, 401}}) {
      SCOPED_TRACE(ToString(shape));
      StepTest("clamp", attrs).Input(data.Specials(shape)).Check(kExact);
    }
  }
}

TEST(ClampStep, Integers) {
  TestData data;
  const std::vector<Attrs> bounds = {
      {{"min", -3.0}, {"max", 5.0}}, {{"min", 0.0}}, {{"max", 2147483647.0}}, {{"min", 4.0}, {"max", -4.0}}};
  for (const Attrs& attrs : bounds) {
    StepTest("clamp", attrs).Input(data.Integers({3, 7, 11}, -9, 9)).Check(kExact);
    StepTest("clamp", attrs)
        .Input(I32({3}, {std::numeric_limits<int32_t>::min(), 0, std::numeric_limits<int32_t>::max()}))
        .Check(kExact);
  }
}

}  // namespace
}  // namespace rml
