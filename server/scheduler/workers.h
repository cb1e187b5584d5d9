// The threads that run a model's jobs, one for each of its instances.
#pragma once

#include <thread>
#include <vector>

#include "server/scheduler/job_queue.h"

namespace rml {

// Owned by the served model; `queue` outlives it. The destructor closes the queue, lets the waiting jobs run and joins.
class Workers {
 public:
  Workers(JobQueue& queue, int num_instances);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

 private:
  JobQueue& queue_;
  std::vector<std::thread> threads_;
};

}  // namespace rml
