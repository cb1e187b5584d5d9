#include "server/repository/repository_mailbox.h"

#include <utility>

#include "absl/strings/str_format.h"

namespace rml {

absl::Status RepositoryMailbox::Ask(Request request) {
  MutexLock lock(mutex_);
  if (closed_) return absl::UnavailableError("the server is shutting down");
  if (mail_.requests.size() >= kMaxRequests) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("%d requests to load or unload a model wait already; at most so many may", kMaxRequests));
  }
  mail_.requests.push_back(std::move(request));
  changed_.NotifyAll();
  return absl::OkStatus();
}

void RepositoryMailbox::AskToReread() {
  MutexLock lock(mutex_);
  mail_.reread = true;
  changed_.NotifyAll();
}

void RepositoryMailbox::Wake() {
  MutexLock lock(mutex_);
  woken_ = true;
  changed_.NotifyAll();
}

RepositoryMailbox::Mail RepositoryMailbox::Take() {
  MutexLock lock(mutex_);
  return std::exchange(mail_, Mail());
}

void RepositoryMailbox::WaitUntil(std::chrono::steady_clock::time_point until) {
  MutexLock lock(mutex_);
  while (!woken_ && mail_.requests.empty() && !mail_.reread) {
    if (std::chrono::steady_clock::now() >= until) break;
    changed_.WaitUntil(mutex_, until);
  }
  woken_ = false;
}

std::deque<RepositoryMailbox::Request> RepositoryMailbox::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  return std::exchange(mail_.requests, {});
}

}  // namespace rml
