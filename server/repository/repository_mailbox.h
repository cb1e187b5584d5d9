// What others ask of the thread that keeps the repository up to date.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "server/sync/mutex.h"

namespace rml {

// Thread-safe.
class RepositoryMailbox {
 public:
  using Done = std::function<void(const absl::Status&)>;

  struct Request {
    enum class Kind : uint8_t { kLoad, kUnload };
    Kind kind;
    std::string model;
    Done done;  // called once
  };
  struct Mail {
    std::deque<Request> requests;  // in the order of their coming
    bool reread = false;
  };

  static constexpr size_t kMaxRequests = 1024;

  // ResourceExhausted if too many wait, Unavailable once closed; `request.done` is not called then.
  absl::Status Ask(Request request) ABSL_LOCKS_EXCLUDED(mutex_);
  void AskToReread() ABSL_LOCKS_EXCLUDED(mutex_);
  // Allocates nothing: also for destructors.
  void Wake() ABSL_LOCKS_EXCLUDED(mutex_);

  // All that has come.
  Mail Take() ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns when there is mail, someone called Wake(), or it is `until`.
  void WaitUntil(std::chrono::steady_clock::time_point until) ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes no more requests; what is left of them.
  std::deque<Request> Close() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  Mutex mutex_;
  CondVar changed_;
  Mail mail_ ABSL_GUARDED_BY(mutex_);
  bool woken_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace rml
