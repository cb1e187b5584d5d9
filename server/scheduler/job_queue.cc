#include "server/scheduler/job_queue.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "engine/base/out_of_memory.h"

namespace rml {
namespace {

constexpr char kExpiredMessage[] = "%s: the deadline passed before the request was started; not started";

}  // namespace

JobQueue::JobQueue(JobQueueOptions options) : options_(std::move(options)) {}

absl::Status JobQueue::Push(std::shared_ptr<Job> job) {
  const SteadyTime now = options_.now();
  if (job->deadline() <= now) {
    return absl::DeadlineExceededError(absl::StrFormat(kExpiredMessage, options_.model));
  }
  std::vector<std::shared_ptr<Job>> expired;
  const absl::Status status = CatchOutOfMemory(options_.model.c_str(), [&] {
    MutexLock lock(mutex_);
    if (waiting_.size() >= options_.capacity) TakeExpired(now, expired);
    const absl::Status added = Add(std::move(job), now);
    PublishDepth();
    return added;
  });
  RefuseExpired(expired);
  return status;
}

absl::Status JobQueue::Add(std::shared_ptr<Job> job, SteadyTime now) {
  if (closed_) return absl::UnavailableError(absl::StrFormat("%s: the server is shutting down", options_.model));
  if (waiting_.size() >= options_.capacity) {
    return absl::ResourceExhaustedError(absl::StrFormat("%s: the queue is full (%d requests wait, at most %d may)",
                                                        options_.model, waiting_.size(), options_.capacity));
  }
  const auto after = [](int priority, const Entry& entry) { return priority < entry.job->priority(); };
  const auto place = std::upper_bound(waiting_.begin(), waiting_.end(), job->priority(), after);
  waiting_.insert(place, {std::move(job), now});
  changed_.NotifyOne();
  return absl::OkStatus();
}

std::optional<JobQueue::Next> JobQueue::Pop() {
  while (true) {
    Entry entry;
    {
      MutexLock lock(mutex_);
      while (waiting_.empty() && !closed_) changed_.Wait(mutex_);
      if (waiting_.empty()) return std::nullopt;
      entry = std::move(waiting_.front());
      waiting_.pop_front();
      PublishDepth();
    }
    const SteadyTime now = options_.now();
    if (now < entry.job->deadline()) return Next{std::move(entry.job), now - entry.pushed};
    RefuseExpired({std::move(entry.job)});
  }
}

void JobQueue::Cancel(Job& job) {
  job.cancelled_.store(true, std::memory_order_relaxed);
  std::shared_ptr<Job> taken;
  {
    MutexLock lock(mutex_);
    const auto it = std::find_if(waiting_.begin(), waiting_.end(), [&](const Entry& e) { return e.job.get() == &job; });
    if (it == waiting_.end()) return;
    taken = std::move(it->job);
    waiting_.erase(it);
    PublishDepth();
  }
  taken->Refuse(absl::CancelledError(absl::StrFormat("%s: cancelled while waiting; not started", options_.model)));
}

void JobQueue::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.NotifyAll();
}

size_t JobQueue::size() const {
  MutexLock lock(mutex_);
  return waiting_.size();
}

void JobQueue::PublishDepth() {
  if (options_.depth == nullptr) return;
  const auto size = static_cast<int64_t>(waiting_.size());
  // A difference: two loads of one version, the old and the new, share the gauge.
  options_.depth->fetch_add(size - std::exchange(published_, size), std::memory_order_relaxed);
}

void JobQueue::TakeExpired(SteadyTime now, std::vector<std::shared_ptr<Job>>& expired) {
  expired.reserve(waiting_.size());  // first: a failure half way would lose jobs
  std::erase_if(waiting_, [&](Entry& entry) {
    if (now < entry.job->deadline()) return false;
    expired.push_back(std::move(entry.job));
    return true;
  });
}

void JobQueue::RefuseExpired(const std::vector<std::shared_ptr<Job>>& jobs) const {
  for (const std::shared_ptr<Job>& job : jobs) {
    job->Refuse(absl::DeadlineExceededError(absl::StrFormat(kExpiredMessage, options_.model)));
  }
}

}  // namespace rml
