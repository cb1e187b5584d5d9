// Waits for the callback of a call. By a promise, since ThreadSanitizer does not see inside Debian's build of absl.
#pragma once

#include <future>
#include <memory>

#include "absl/status/status.h"

namespace rml {

// `start` gets the callback. The promise lives until that callback is gone, which may be after the wait.
template <typename Start>
absl::Status AnswerOf(Start start) {
  auto promise = std::make_shared<std::promise<absl::Status>>();
  auto answer = promise->get_future();
  start([promise](const absl::Status& status) { promise->set_value(status); });
  promise.reset();
  return answer.get();
}

}  // namespace rml
