// The f64 functions by which kernels are measured are good to far more than f32's digits.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/engine/exact_values.h"
#include "tests/engine/kernels/accuracy/functions.h"
#include "tests/engine/kernels/accuracy/measure.h"
#include "tests/engine/kernels/accuracy/ulp.h"

namespace rml {
namespace {

// 2^-20 of an ulp of f32.
constexpr double kRelative = 0x1p-44;

TEST(ExactTest, FunctionsAgreeWithMpmath) {
  for (const Function& function : Functions()) {
    int num_values = 0;
    for (const ExactValue& value : ExactValues()) {
      if (value.function != function.name) continue;
      ++num_values;
      EXPECT_NEAR(function.exact(value.x[0]), value.value, kRelative * std::abs(value.value))
          << function.name << " " << NumberText(value.x[0]);
    }
    EXPECT_GE(num_values, 20) << function.name;
  }
}

TEST(ExactTest, PowAgreesWithMpmath) {
  for (const ExactValue& value : ExactValues()) {
    if (value.function != "pow") continue;
    EXPECT_NEAR(std::pow(double{value.x[0]}, double{value.x[1]}) / value.value, 1, kRelative) << NumberText(value.x[0]);
  }
}

TEST(UlpTest, CountsUnitsOfTheExactValue) {
  struct {
    const char* name;
    float got;
    double exact, error;
  } const cases[] = {
      {"half a unit", 1, 1 + 0x1p-24, 0.5},
      {"a unit below a power of two", 1, 1 - 0x1p-24, 1},
      {"a flushed result", 0, 0x1.fp-127, 0},
      {"a lost normal result", 0, 0x1p-126, 0x1p23},
      {"the least normal number for a smaller one", 0x1p-126f, 0x1p-126 - 0x1p-150, 0.5},
      {"an infinity for the largest number", HUGE_VALF, 0x1.fffffep127, 1},
      {"an infinity where f32 rounds to it", HUGE_VALF, 0x1p130, 0},
      {"the largest number for an infinity", 0x1.fffffep127f, HUGE_VAL, 1},
      {"an infinity of the wrong sign", -HUGE_VALF, 0x1p130, 0x1p25},
      {"a number for a NaN", 1, NAN, HUGE_VAL},
      {"a NaN for a number", NAN, 1, HUGE_VAL},
      {"a NaN for a NaN", NAN, NAN, 0},
  };
  for (const auto& c : cases) EXPECT_EQ(UlpError(c.got, c.exact), c.error) << c.name;
  EXPECT_EQ(RelativeError(3, 2), 0.5);
  EXPECT_EQ(RelativeError(0, 0x1p-130), 0);
}

}  // namespace
}  // namespace rml
