#include "loadtest/transport.h"

#include "absl/synchronization/notification.h"

namespace rml {

absl::Status CallAndWait(Transport& transport, size_t request, std::chrono::nanoseconds timeout,
                         const std::function<absl::Status(ResponseBytes&)>& use) {
  absl::Notification ended;
  absl::Status result;
  transport.Start(request, timeout, [&](const absl::Status& status, ResponseBytes* response) {
    result = status.ok() ? use(*response) : status;
    ended.Notify();
  });
  ended.WaitForNotification();
  return result;
}

}  // namespace rml
