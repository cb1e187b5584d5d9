#include "server/scheduler/workers.h"

#include <optional>

namespace rml {

Workers::Workers(JobQueue& queue, int num_instances) : queue_(queue) {
  for (int instance = 0; instance < num_instances; ++instance) {
    threads_.emplace_back([this, instance] {
      while (std::optional<JobQueue::Next> next = queue_.Pop()) next->job->Run(instance, next->queued);
    });
  }
}

Workers::~Workers() {
  queue_.Close();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace rml
