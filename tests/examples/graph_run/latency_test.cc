#include "examples/graph_run/latency.h"

#include <gtest/gtest.h>

#include <vector>

namespace rml {
namespace {

TEST(LatencyTest, NoTimesGiveZeros) {
  const Latency latency = Summarize({});
  EXPECT_EQ(latency.iterations, 0);
  EXPECT_EQ(latency.p90_us, 0);
}

TEST(LatencyTest, OneTimeIsEveryPercentile) {
  const Latency latency = Summarize({7});
  EXPECT_EQ(latency.iterations, 1);
  for (const double value : {latency.mean_us, latency.min_us, latency.p10_us, latency.median_us, latency.p90_us}) {
    EXPECT_EQ(value, 7);
  }
}

TEST(LatencyTest, PercentilesAreTheNearestRankOfUnsortedTimes) {
  const Latency latency = Summarize({10, 1, 9, 2, 8, 3, 7, 4, 6, 5});
  EXPECT_EQ(latency.iterations, 10);
  EXPECT_EQ(latency.mean_us, 5.5);
  EXPECT_EQ(latency.min_us, 1);
  EXPECT_EQ(latency.p10_us, 1);
  EXPECT_EQ(latency.median_us, 5);
  EXPECT_EQ(latency.p90_us, 9);
}

TEST(LatencyTest, RanksRoundUp) {
  const Latency latency = Summarize({1, 2, 3});
  EXPECT_EQ(latency.p10_us, 1);
  EXPECT_EQ(latency.median_us, 2);
  EXPECT_EQ(latency.p90_us, 3);
}

}  // namespace
}  // namespace rml
