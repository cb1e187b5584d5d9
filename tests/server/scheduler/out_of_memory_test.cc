// A queue that runs out of memory loses no job.
#include "engine/base/out_of_memory.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/scheduler/job_queue.h"
#include "tests/engine/failing_memory.h"
#include "tests/server/scheduler/recorded_job.h"

namespace rml {
namespace {

constexpr size_t kCapacity = 99;

// Jobs fill the queue, every second of them late by the time that one more comes.
absl::Status FillAndEmpty() {
  const auto start = std::chrono::steady_clock::now();
  SteadyTime now = start;
  JobQueue queue({.model = "m", .capacity = kCapacity, .now = [&] { return now; }});
  std::vector<std::shared_ptr<RecordedJob>> jobs(kCapacity + 1);
  std::vector<absl::Status> pushed(kCapacity + 1);
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i] = std::make_shared<RecordedJob>(start + std::chrono::seconds(i % 2 == 0 ? 1 : 100));
    if (i == kCapacity) now += std::chrono::seconds(10);
    pushed[i] = queue.Push(jobs[i]);
  }
  size_t waiting = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!pushed[i].ok() && jobs[i]->refused) return absl::InternalError("a job that was not taken was refused");
    waiting += pushed[i].ok() && !jobs[i]->refused ? 1 : 0;
  }
  if (queue.size() != waiting) return absl::InternalError("a job is lost");
  queue.Cancel(*jobs[1]);
  queue.Close();
  now += std::chrono::seconds(200);
  if (queue.Pop()) return absl::InternalError("a late job would have been run");
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!pushed[i].ok()) return pushed[i];
    if (!jobs[i]->refused) return absl::InternalError("a job that was taken was not refused");
  }
  return absl::OkStatus();
}

TEST(JobQueueOutOfMemory, EveryJobIsKeptOrRefused) {
  ExpectSurvivesAllocationFailures({.run = [] { return CatchOutOfMemory("the test itself", FillAndEmpty); }});
}

}  // namespace
}  // namespace rml
