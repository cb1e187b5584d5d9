#include "server/scheduler/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/scheduler/recorded_job.h"

namespace rml {
namespace {

TEST(WorkersTest, InstancesRunAtTheSameTime) {
  JobQueue queue({.model = "m"});
  const auto workers = *Workers::Start(queue, 2);
  std::latch gate(1);
  std::vector<std::shared_ptr<RecordedJob>> jobs;
  for (int i = 0; i < 2; ++i) {
    jobs.push_back(std::make_shared<RecordedJob>());
    jobs.back()->gate = &gate;
    ASSERT_TRUE(queue.Push(jobs.back()).ok());
  }
  for (const auto& job : jobs) job->started.wait();  // both, though neither has ended
  gate.count_down();
  for (const auto& job : jobs) job->ended.wait();
  EXPECT_NE(*jobs[0]->ran_on, *jobs[1]->ran_on);
}

TEST(WorkersTest, OfAHundredCancelledOnlyTheRunningOneIsRun) {
  JobQueue queue({.model = "m", .capacity = 100});
  const auto workers = *Workers::Start(queue, 1);
  std::latch gate(1);
  std::vector<std::shared_ptr<RecordedJob>> jobs;
  for (int i = 0; i < 100; ++i) {
    jobs.push_back(std::make_shared<RecordedJob>());
    jobs.back()->gate = &gate;
    ASSERT_TRUE(queue.Push(jobs.back()).ok());
    if (i == 0) jobs[0]->started.wait();
  }
  for (const auto& job : jobs) queue.Cancel(*job);
  gate.count_down();
  for (const auto& job : jobs) job->ended.wait();
  EXPECT_TRUE(jobs[0]->ran_on);
  EXPECT_TRUE(jobs[0]->cancelled());
  for (size_t i = 1; i < jobs.size(); ++i) EXPECT_FALSE(jobs[i]->ran_on) << i;
}

TEST(WorkersTest, DestructionRunsWhatWaits) {
  JobQueue queue({.model = "m"});
  const auto job = std::make_shared<RecordedJob>();
  {
    const auto workers = *Workers::Start(queue, 1);
    ASSERT_TRUE(queue.Push(job).ok());
  }
  EXPECT_EQ(job->ran_on, 0);
}

// While it lives, no thread can be started: a stack of the default size would not fit in the address space.
class NoNewThreads {
 public:
  NoNewThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge = before_;
    pthread_attr_setstacksize(&huge, size_t{1} << 47);
    pthread_setattr_default_np(&huge);
  }
  ~NoNewThreads() { pthread_setattr_default_np(&before_); }
  NoNewThreads(const NoNewThreads&) = delete;
  NoNewThreads& operator=(const NoNewThreads&) = delete;

 private:
  pthread_attr_t before_;
};

TEST(WorkersTest, ThreadsThatCannotBeStartedAreAnError) {
  JobQueue queue({.model = "m"});
  const NoNewThreads none;
  const absl::Status status = Workers::Start(queue, 3).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(std::string(status.message()), testing::StartsWith("only 0 of 3 worker threads could be started: "));
  EXPECT_TRUE(absl::IsUnavailable(queue.Push(std::make_shared<RecordedJob>()))) << "nobody would ever run it";
}

// For ThreadSanitizer: pushing, cancelling and running from many threads; every job ends exactly once.
TEST(WorkersTest, ManyThreads) {
  JobQueue queue({.model = "m", .capacity = 8});
  const auto workers = *Workers::Start(queue, 3);
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&queue] {
      for (int i = 0; i < 200; ++i) {
        const auto job = std::make_shared<RecordedJob>();
        if (!queue.Push(job).ok()) continue;
        if (i % 3 == 0) queue.Cancel(*job);
        job->ended.wait();
        EXPECT_NE(job->ran_on.has_value(), job->refused.has_value());
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace rml
