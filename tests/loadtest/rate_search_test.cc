#include "loadtest/rate_search.h"

#include <gtest/gtest.h>

namespace rml {
namespace {

// Searches against a server that bears `capacity`; how many rates were tried.
int Search(RateSearch& search, double capacity) {
  int rates = 0;
  while (const std::optional<double> rate = search.Next()) {
    search.Report(*rate <= capacity);
    ++rates;
  }
  return rates;
}

TEST(RateSearchTest, FindsTheCapacityFromBelowAndAbove) {
  for (const double capacity : {1.0, 3.7, 99.0, 100.0, 101.0, 5000.0}) {
    RateSearch search(100);
    EXPECT_LE(Search(search, capacity), 14) << capacity;
    EXPECT_LE(search.best(), capacity);
    EXPECT_GE(search.best() * 1.05, capacity);
    ASSERT_TRUE(search.failed());
    EXPECT_GT(*search.failed(), capacity);
    EXPECT_LE(*search.failed(), search.best() * 1.05);
  }
}

TEST(RateSearchTest, EndsIfNoRateIsBorneOrAllAre) {
  RateSearch none(100, 0.05, 8);
  EXPECT_EQ(Search(none, 0), 8);
  EXPECT_EQ(none.best(), 0);
  EXPECT_EQ(none.failed(), 100.0 / 128);
  RateSearch all(100, 0.05, 8);
  EXPECT_EQ(Search(all, 1e9), 8);
  EXPECT_EQ(all.best(), 12'800);
  EXPECT_FALSE(all.failed());
}

}  // namespace
}  // namespace rml
