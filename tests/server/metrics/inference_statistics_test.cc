#include "server/metrics/inference_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace rml {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

uint64_t NowMs() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

TEST(InferenceStatisticsTest, SumsAndRowCounts) {
  InferenceStatistics statistics;
  EXPECT_EQ(statistics.Read().last_ms, 0u);
  EXPECT_TRUE(statistics.Read().per_rows.empty());
  const auto execution = [](int64_t rows, int64_t scale) {
    return Execution{.rows = rows,
                     .queue = nanoseconds(1 * scale),
                     .input = nanoseconds(2 * scale),
                     .compute = nanoseconds(3 * scale),
                     .output = nanoseconds(4 * scale)};
  };
  statistics.AddExecution(execution(8, 1));
  statistics.AddExecution(execution(1, 10));
  statistics.AddExecution(execution(8, 100));
  statistics.AddRequest(true, nanoseconds(20));
  statistics.AddRequest(true, nanoseconds(30));
  statistics.AddRequest(false, nanoseconds(7));
  const InferenceStatistics::Snapshot read = statistics.Read();
  EXPECT_EQ(read.rows, 17u);
  EXPECT_EQ(read.success.count, 2u);
  EXPECT_EQ(read.success.ns, 50u);
  EXPECT_EQ(read.fail.count, 1u);
  EXPECT_EQ(read.fail.ns, 7u);
  EXPECT_EQ(read.queue.count, 3u);
  EXPECT_EQ(read.queue.ns, 111u);
  EXPECT_EQ(read.input.ns, 222u);
  EXPECT_EQ(read.compute.ns, 333u);
  EXPECT_EQ(read.output.ns, 444u);
  ASSERT_EQ(read.per_rows.size(), 2u);
  EXPECT_EQ(read.per_rows[0].rows, 1);
  EXPECT_EQ(read.per_rows[0].count, 1u);
  EXPECT_EQ(read.per_rows[1].rows, 8);
  EXPECT_EQ(read.per_rows[1].count, 2u);
  EXPECT_EQ(read.per_rows[1].input_ns, 202u);
  EXPECT_EQ(read.per_rows[1].compute_ns, 303u);
  EXPECT_EQ(read.per_rows[1].output_ns, 404u);
}

TEST(InferenceStatisticsTest, TheLastRequestIsWhenItCame) {
  InferenceStatistics statistics;
  const uint64_t before = NowMs();
  statistics.AddRequest(true, seconds(5));
  EXPECT_GE(statistics.Read().last_ms, before - 5000);
  EXPECT_LE(statistics.Read().last_ms, NowMs() - 5000);
}

TEST(InferenceStatisticsTest, RowCountsAreBounded) {
  InferenceStatistics statistics;
  constexpr int64_t kMany = InferenceStatistics::kMaxRowCounts + 10;
  for (int64_t rows = 1; rows <= kMany; ++rows) statistics.AddExecution({.rows = rows});
  const InferenceStatistics::Snapshot read = statistics.Read();
  EXPECT_EQ(read.per_rows.size(), InferenceStatistics::kMaxRowCounts);
  EXPECT_EQ(read.queue.count, static_cast<uint64_t>(kMany)) << "the totals have them all";
}

TEST(InferenceStatisticsTest, ThreadsShareOneSlotForOneRowCount) {
  InferenceStatistics statistics;
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (!go) std::this_thread::yield();
      for (int64_t rows = 1; rows <= 20; ++rows) statistics.AddExecution({.rows = rows});
    });
  }
  go = true;
  for (std::thread& thread : threads) thread.join();
  const InferenceStatistics::Snapshot read = statistics.Read();
  ASSERT_EQ(read.per_rows.size(), 20u);
  for (size_t i = 0; i < read.per_rows.size(); ++i) {
    EXPECT_EQ(read.per_rows[i].rows, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(read.per_rows[i].count, 4u);
  }
}

}  // namespace
}  // namespace rml
