#include "loadtest/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace rml {
namespace {

TEST(HistogramTest, NoTimes) {
  const Histogram none;
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(none.Percentile(99), 0);
  EXPECT_EQ(none.min(), 0);
  EXPECT_EQ(none.max(), 0);
  EXPECT_EQ(none.mean(), 0);
  EXPECT_EQ(none.PercentileInterval(99).high, 0);
}

TEST(HistogramTest, SmallTimesAreExactAndNegativeOnesAreZero) {
  Histogram histogram;
  for (int64_t ns = 1; ns <= 100; ++ns) histogram.Add(ns);
  EXPECT_EQ(histogram.Percentile(1), 1);
  EXPECT_EQ(histogram.Percentile(50), 50);
  EXPECT_EQ(histogram.Percentile(99), 99);
  EXPECT_EQ(histogram.Percentile(99.1), 100);
  EXPECT_EQ(histogram.Percentile(100), 100);
  EXPECT_EQ(histogram.mean(), 50.5);
  histogram.Add(-5);
  EXPECT_EQ(histogram.min(), 0);
}

TEST(HistogramTest, EveryTimeIsWithinFourTenthsOfAPercent) {
  for (int64_t ns = 1; ns < int64_t{1} << 61; ns += ns / 8 + 1) {
    for (const int64_t time : {ns - 1, ns, ns + 1}) {
      Histogram histogram;
      histogram.Add(0);  // two more times, so that the smallest and largest do not make it exact
      histogram.Add(time);
      histogram.Add(INT64_MAX);
      EXPECT_LE(std::fabs(static_cast<double>(histogram.Percentile(50) - time)), 0.004 * static_cast<double>(time))
          << time;
    }
  }
}

TEST(HistogramTest, PercentilesOfManyTimesAreNearestRanks) {
  std::mt19937_64 random(7);
  std::vector<int64_t> times;
  Histogram histogram;
  for (int i = 0; i < 10'000; ++i) {
    times.push_back(static_cast<int64_t>(std::exp(static_cast<double>(random() % 1'000'000) * 2e-5)));
    histogram.Add(times.back());
  }
  std::sort(times.begin(), times.end());
  for (const double percent : {0.01, 10.0, 50.0, 90.0, 99.0, 99.9, 99.99, 100.0}) {
    const auto want = static_cast<double>(times[static_cast<size_t>(std::lround(percent * 100)) - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.Percentile(percent)), want, 0.004 * want) << percent;
  }
}

TEST(HistogramTest, SumOfTwoIsTheHistogramOfBoth) {
  Histogram low, high, both;
  for (int64_t ns = 0; ns < 1000; ++ns) {
    (ns % 3 == 0 ? low : high).Add(ns * ns);
    both.Add(ns * ns);
  }
  low.Add(high);
  EXPECT_EQ(low.count(), both.count());
  EXPECT_EQ(low.mean(), both.mean());
  EXPECT_EQ(low.max(), both.max());
  for (double percent = 1; percent <= 100; ++percent) EXPECT_EQ(low.Percentile(percent), both.Percentile(percent));
}

TEST(HistogramTest, IntervalOfAPercentileIsOfOrderStatistics) {
  Histogram histogram;
  for (int64_t ns = 1; ns <= 100; ++ns) histogram.Add(ns);
  // 100 * 0.5 -+ 1.96 * 5 = 40.2 and 59.8.
  EXPECT_EQ(histogram.PercentileInterval(50).low, 40);
  EXPECT_EQ(histogram.PercentileInterval(50).high, 60);
  EXPECT_EQ(histogram.PercentileInterval(99).high, 100);  // never beyond the largest
}

}  // namespace
}  // namespace rml
