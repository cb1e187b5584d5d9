#include "loadtest/arrivals.h"

#include <gtest/gtest.h>

#include <vector>

namespace rml {
namespace {

using std::chrono::nanoseconds;

TEST(PoissonArrivalsTest, SameSeedSameTimes) {
  PoissonArrivals first(100, 7), second(100, 7), other(100, 8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const nanoseconds time = first.Next();
    EXPECT_EQ(time, second.Next());
    differs = differs || time != other.Next();
  }
  EXPECT_TRUE(differs);
}

// Of exponential gaps: mean 1 / rate, standard deviation the same, 1 - 1/e of them below the mean; that is what tells
// them from evenly spaced and from uniform ones. Four standard errors of 100 000 gaps, and the seed is fixed.
TEST(PoissonArrivalsTest, GapsAreExponential) {
  constexpr int kCount = 100'000;
  PoissonArrivals arrivals(1000, 1);
  nanoseconds last{0};
  double sum = 0, squares = 0;
  int below_mean = 0;
  for (int i = 0; i < kCount; ++i) {
    const nanoseconds next = arrivals.Next();
    ASSERT_GE(next, last);
    const double gap_ms = static_cast<double>((next - last).count()) * 1e-6;
    sum += gap_ms;
    squares += gap_ms * gap_ms;
    below_mean += gap_ms < 1 ? 1 : 0;
    last = next;
  }
  EXPECT_NEAR(sum / kCount, 1, 0.0127);
  EXPECT_NEAR(squares / kCount, 2, 0.057);
  EXPECT_NEAR(below_mean * 1.0 / kCount, 0.6321, 0.0061);
}

TEST(ModelMixTest, SharesAreTheWeights) {
  const std::vector<double> weights = {1, 3, 0.5};
  const ModelMix mix(weights, 3);
  std::vector<int> counts(3);
  for (uint64_t request = 0; request < 45'000; ++request) ++counts[mix.Pick(request)];
  EXPECT_NEAR(counts[0], 10'000, 360);  // four standard deviations
  EXPECT_NEAR(counts[1], 30'000, 400);
  EXPECT_NEAR(counts[2], 5'000, 270);
  EXPECT_EQ(mix.Pick(17), ModelMix(weights, 3).Pick(17));
}

TEST(ModelMixTest, OneModelGetsAll) {
  const ModelMix mix(std::vector<double>{0.1}, 3);
  for (uint64_t request = 0; request < 100; ++request) EXPECT_EQ(mix.Pick(request), 0u);
}

}  // namespace
}  // namespace rml
