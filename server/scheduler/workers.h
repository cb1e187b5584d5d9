// The threads that run a model's jobs, one for each of its instances.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "server/scheduler/job_queue.h"

namespace rml {

// Owned by the served model; `queue` outlives it. The destructor closes the queue, lets the waiting jobs run and joins.
class Workers {
 public:
  // ResourceExhausted if the system does not let all of them start; those that did are ended, and the queue is closed.
  static absl::StatusOr<std::unique_ptr<Workers>> Start(JobQueue& queue, int num_instances);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

 private:
  explicit Workers(JobQueue& queue) : queue_(queue) {}

  JobQueue& queue_;
  std::vector<std::thread> threads_;
};

}  // namespace rml
