#include "server/scheduler/workers.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
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

// A child process with room for a few stacks: what becomes of 1000 threads.
int StartWithoutMemory() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{128} << 20);
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
  JobQueue queue({.model = "m"});
  const absl::Status status = Workers::Start(queue, 1000).status();
  std::fputs(std::string(status.message()).c_str(), stderr);
  return absl::IsResourceExhausted(status) && absl::IsUnavailable(queue.Push(std::make_shared<RecordedJob>())) ? 0 : 1;
}

TEST(WorkersDeathTest, ThreadsThatCannotBeStartedAreAnError) {
  EXPECT_EXIT(std::exit(StartWithoutMemory()), testing::ExitedWithCode(0),
              "only [0-9]+ of 1000 worker threads could be started: ");
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
