#include "server/scheduler/job_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/server/scheduler/recorded_job.h"

namespace rml {
namespace {

using std::chrono::milliseconds;

class JobQueueTest : public testing::Test {
 protected:
  std::shared_ptr<RecordedJob> JobDueIn(milliseconds time) { return std::make_shared<RecordedJob>(now_ + time); }

  SteadyTime now_{};
  std::atomic<int64_t> depth_{0};
  JobQueue queue_{{.model = "model 'm' version 1", .capacity = 2, .depth = &depth_, .now = [this] { return now_; }}};
};

TEST_F(JobQueueTest, FirstInFirstOut) {
  const auto a = std::make_shared<RecordedJob>();
  const auto b = std::make_shared<RecordedJob>();
  ASSERT_TRUE(queue_.Push(a).ok());
  now_ += milliseconds(3);
  ASSERT_TRUE(queue_.Push(b).ok());
  EXPECT_EQ(depth_, 2);
  now_ += milliseconds(4);
  const auto first = queue_.Pop();
  EXPECT_EQ(first->job, a);
  EXPECT_EQ(first->queued, milliseconds(7));
  EXPECT_EQ(queue_.Pop()->job, b);
  EXPECT_EQ(depth_, 0);
}

TEST_F(JobQueueTest, ByPriorityThenFirstInFirstOut) {
  JobQueue queue({.model = "m"});
  std::vector<std::shared_ptr<RecordedJob>> jobs;
  for (const int priority : {5, 10, 1, 5, 1, 10, 5}) {
    jobs.push_back(std::make_shared<RecordedJob>(SteadyTime::max(), priority));
    ASSERT_TRUE(queue.Push(jobs.back()).ok());
  }
  for (const size_t next : {2, 4, 0, 3, 6, 1, 5}) EXPECT_EQ(queue.Pop()->job, jobs[next]) << next;
}

TEST_F(JobQueueTest, RefusesWhatIsLateAlready) {
  const auto job = JobDueIn(milliseconds(0));
  const absl::Status status = queue_.Push(job);
  EXPECT_EQ(status, absl::DeadlineExceededError(
                        "model 'm' version 1: the deadline passed before the request was started; not started"));
  EXPECT_FALSE(job->refused) << "a job that is not taken is the caller's to answer";
  EXPECT_EQ(queue_.size(), 0);
}

TEST_F(JobQueueTest, FullIsResourceExhausted) {
  ASSERT_TRUE(queue_.Push(std::make_shared<RecordedJob>()).ok());
  ASSERT_TRUE(queue_.Push(std::make_shared<RecordedJob>()).ok());
  EXPECT_EQ(queue_.Push(std::make_shared<RecordedJob>()),
            absl::ResourceExhaustedError("model 'm' version 1: the queue is full (2 requests wait, at most 2 may)"));
}

TEST_F(JobQueueTest, ExpiredJobsMakeRoom) {
  const auto late = JobDueIn(milliseconds(5));
  ASSERT_TRUE(queue_.Push(late).ok());
  ASSERT_TRUE(queue_.Push(JobDueIn(milliseconds(50))).ok());
  now_ += milliseconds(10);
  EXPECT_TRUE(queue_.Push(std::make_shared<RecordedJob>()).ok());
  ASSERT_TRUE(late->refused);
  EXPECT_TRUE(absl::IsDeadlineExceeded(*late->refused));
  EXPECT_EQ(queue_.size(), 2);
}

TEST_F(JobQueueTest, ExpiredJobsAreNeverPopped) {
  const auto late = JobDueIn(milliseconds(5));
  const auto good = JobDueIn(milliseconds(50));
  ASSERT_TRUE(queue_.Push(late).ok());
  ASSERT_TRUE(queue_.Push(good).ok());
  now_ += milliseconds(5);
  EXPECT_EQ(queue_.Pop()->job, good);
  ASSERT_TRUE(late->refused);
  EXPECT_TRUE(absl::IsDeadlineExceeded(*late->refused));
}

TEST_F(JobQueueTest, CancelRefusesAWaitingJobAtOnce) {
  const auto a = std::make_shared<RecordedJob>();
  const auto b = std::make_shared<RecordedJob>();
  ASSERT_TRUE(queue_.Push(a).ok());
  ASSERT_TRUE(queue_.Push(b).ok());
  queue_.Cancel(*a);
  ASSERT_TRUE(a->refused);
  EXPECT_EQ(*a->refused, absl::CancelledError("model 'm' version 1: cancelled while waiting; not started"));
  EXPECT_EQ(depth_, 1);
  EXPECT_EQ(queue_.Pop()->job, b);
}

TEST_F(JobQueueTest, CancelMarksARunningJob) {
  const auto job = std::make_shared<RecordedJob>();
  ASSERT_TRUE(queue_.Push(job).ok());
  const auto running = queue_.Pop();
  queue_.Cancel(*job);
  EXPECT_TRUE(job->cancelled());
  EXPECT_FALSE(job->refused);
}

TEST_F(JobQueueTest, CloseKeepsWhatWaitsAndTakesNoMore) {
  const auto job = std::make_shared<RecordedJob>();
  ASSERT_TRUE(queue_.Push(job).ok());
  queue_.Close();
  EXPECT_EQ(queue_.Push(std::make_shared<RecordedJob>()),
            absl::UnavailableError("model 'm' version 1: the server is shutting down"));
  EXPECT_EQ(queue_.Pop()->job, job);
  EXPECT_FALSE(queue_.Pop());
}

}  // namespace
}  // namespace rml
