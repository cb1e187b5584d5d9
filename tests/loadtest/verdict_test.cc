#include "loadtest/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace rml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kMs = 1'000'000;

RunStats Good() {
  RunStats stats;
  stats.sent = 1000;
  for (int i = 0; i < 1000; ++i) {
    stats.latency.Add(10 * kMs);
    stats.lateness.Add(kMs / 10);
  }
  stats.longest_silence_seconds = 0.5;
  return stats;
}

TEST(VerdictTest, GoodRunIsValid) { EXPECT_THAT(InvalidReasons(Good(), {}), IsEmpty()); }

TEST(VerdictTest, EachFaultHasItsReason) {
  const struct {
    const char* name;
    std::function<void(RunStats&)> spoil;
    const char* reason;
  } cases[] = {
      {"wrong answer",
       [](RunStats& stats) {
         stats.wrong = 2;
         stats.first_wrong = "output.0 is off by 3; the tolerance is 1";
       },
       "2 wrong answers; expected none. The first: output.0 is off by 3; the tolerance is 1"},
      {"errors",
       [](RunStats& stats) {
         stats.errors[absl::StatusCode::kUnavailable] = {2, "gone"};
         stats.errors[absl::StatusCode::kInternal] = {1, "broken"};
       },
       "3 of 1000 requests failed (1 INTERNAL, 2 UNAVAILABLE); at most 0 may"},
      {"stalled", [](RunStats& stats) { stats.longest_silence_seconds = 1.5; },
       "the server stalled: no answer for 1.5 s with requests in flight; at most 1 s"},
      {"not sent", [](RunStats& stats) { stats.not_sent = 4; }, "4 requests were not sent, as too many were in flight"},
      {"late median",
       [](RunStats& stats) {
         for (int i = 0; i < 2000; ++i) stats.lateness.Add(kMs * 9 / 10);
         for (int i = 0; i < 1200; ++i) stats.latency.Add(5 * kMs);
       },
       "requests were sent late: p50 of lateness is 899 us; expected at most 0.1 of the latency's, which is 5"},
      {"late p99",
       [](RunStats& stats) {
         for (int i = 0; i < 20; ++i) stats.lateness.Add(2 * kMs);
       },
       "requests were sent late: p99 of lateness is 2 ms; expected at most 0.1 of the latency's, which is 10"},
      {"few samples",
       [](RunStats& stats) {
         stats.latency = Histogram();
         for (int i = 0; i < 661; ++i) stats.latency.Add(10 * kMs);
       },
       "661 samples are too few; a p99 takes at least 662"},
  };
  for (const auto& test : cases) {
    RunStats stats = Good();
    test.spoil(stats);
    EXPECT_THAT(InvalidReasons(stats, {}), ElementsAre(HasSubstr(test.reason))) << test.name;
  }
}

TEST(VerdictTest, AllReasonsAreTold) {
  RunStats stats;
  stats.sent = 1;
  stats.wrong = 1;
  stats.not_sent = 1;
  stats.longest_silence_seconds = 9;
  stats.errors[absl::StatusCode::kAborted] = {1, ""};
  EXPECT_EQ(InvalidReasons(stats, {}).size(), 5u);
}

TEST(VerdictTest, LimitsAreTheCallers) {
  RunStats stats = Good();
  stats.errors[absl::StatusCode::kUnavailable] = {2, "gone"};
  stats.longest_silence_seconds = 3;
  for (int i = 0; i < 2000; ++i) stats.lateness.Add(5 * kMs);
  const VerdictLimits limits = {.min_samples = 1000, .max_errors = 2, .max_lateness = 0.6, .max_silence_seconds = 3};
  EXPECT_THAT(InvalidReasons(stats, limits), IsEmpty());
}

TEST(VerdictTest, SlowModelsAreSilentForLong) {
  RunStats stats = Good();
  for (int i = 0; i < 2000; ++i) stats.latency.Add(2000 * kMs);
  stats.longest_silence_seconds = 9.5;
  EXPECT_THAT(InvalidReasons(stats, {}), IsEmpty());
  stats.longest_silence_seconds = 10.5;
  EXPECT_THAT(InvalidReasons(stats, {}), ElementsAre(HasSubstr("stalled")));
}

}  // namespace
}  // namespace rml
