#include "server/scheduler/workers.h"

#include <optional>
#include <system_error>

#include "absl/strings/str_format.h"

namespace rml {

absl::StatusOr<std::unique_ptr<Workers>> Workers::Start(JobQueue& queue, int num_instances) {
  std::unique_ptr<Workers> workers(new Workers(queue));
  for (int instance = 0; instance < num_instances; ++instance) {
    try {
      workers->threads_.emplace_back([&queue, instance] {
        while (std::optional<JobQueue::Next> next = queue.Pop()) next->job->Run(instance, next->queued);
      });
    } catch (const std::system_error& error) {
      return absl::ResourceExhaustedError(
          absl::StrFormat("only %d of %d worker threads could be started: %s", instance, num_instances, error.what()));
    }
  }
  return workers;
}

Workers::~Workers() {
  queue_.Close();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace rml
