#include "server/metrics/histogram.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace rml {
namespace {

TEST(HistogramTest, LatencyBoundsAreFineAndComplete) {
  const absl::Span<const double> bounds = LatencyBounds();
  EXPECT_EQ(bounds.size(), 38);
  EXPECT_EQ(bounds.front(), 50e-6);
  EXPECT_EQ(bounds.back(), 10);
  for (size_t i = 1; i < bounds.size(); ++i) {
    EXPECT_GT(bounds[i] / bounds[i - 1], 1.2) << i;
    EXPECT_LT(bounds[i] / bounds[i - 1], 1.44) << i;
  }
}

TEST(HistogramTest, BoundsAreInclusive) {
  Histogram histogram(BatchSizeBounds(), 1);
  for (double value : {1.0, 2.0, 3.0, 1e9}) histogram.Observe(value);
  const auto collected = histogram.Collect().histogram;
  EXPECT_EQ(collected.bucket[0].cumulative_count, 1);  // <= 1
  EXPECT_EQ(collected.bucket[1].cumulative_count, 2);  // <= 2
  EXPECT_EQ(collected.bucket[2].cumulative_count, 3);  // <= 4
  EXPECT_EQ(collected.bucket.back().cumulative_count, 4);
  EXPECT_EQ(collected.sample_count, 4);
}

TEST(HistogramTest, SumsAcrossThreads) {
  Histogram histogram(LatencyBounds(), 1e-9);
  std::vector<std::thread> threads;
  for (int t = 0; t < 12; ++t) {
    threads.emplace_back([&histogram] {
      for (int i = 0; i < 1000; ++i) histogram.Observe(0.001);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto collected = histogram.Collect().histogram;
  EXPECT_EQ(collected.sample_count, 12000);
  EXPECT_NEAR(collected.sample_sum, 12, 1e-9);
}

}  // namespace
}  // namespace rml
