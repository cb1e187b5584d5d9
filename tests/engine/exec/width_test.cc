#include "engine/exec/width.h"

#include <gtest/gtest.h>

namespace rml {
namespace {

TEST(ChooseWidth, ASmallStepTakesOneThreadAndALargeOneAll) {
  EXPECT_EQ(ChooseWidth({}, 16), 1);
  EXPECT_EQ(ChooseWidth({.flops = 1000, .bytes = 1000}, 16), 1);
  EXPECT_EQ(ChooseWidth({.flops = 1e12}, 16), 16);
  EXPECT_EQ(ChooseWidth({.bytes = 1e12}, 16), 16);
  EXPECT_EQ(ChooseWidth({.flops = 1e12}, 1), 1);
}

TEST(ChooseWidth, GrowsWithTheWorkAndNeverPastTheLimit) {
  int last = 1;
  for (double flops = 1e3; flops < 1e12; flops *= 2) {
    const int width = ChooseWidth({.flops = flops}, 7);
    EXPECT_GE(width, last);
    EXPECT_LE(width, 7);
    last = width;
  }
  EXPECT_EQ(last, 7);
}

}  // namespace
}  // namespace rml
