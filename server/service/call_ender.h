// Ends, when the server goes, the calls that would otherwise last for as long as their clients like.
#pragma once

#include <functional>
#include <map>

#include "absl/base/thread_annotations.h"
#include "server/sync/mutex.h"

namespace rml {

// Thread-safe.
class CallEnder {
 public:
  using End = std::function<void()>;

  // Calls `end` at EndAll(), or now if that has been; always under a lock, so that it is not called once Remove() has
  // returned: it must be quick and must not call back.
  void Add(const void* key, End end) ABSL_LOCKS_EXCLUDED(mutex_);
  void Remove(const void* key) ABSL_LOCKS_EXCLUDED(mutex_);
  void EndAll() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  Mutex mutex_;
  std::map<const void*, End> ends_ ABSL_GUARDED_BY(mutex_);
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace rml
