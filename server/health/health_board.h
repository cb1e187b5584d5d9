// Who serves and who does not, as grpc.health.v1 and /readyz report it. Free of gRPC.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "server/sync/mutex.h"

namespace rml {

// The numbers of grpc.health.v1.HealthCheckResponse.ServingStatus.
enum class Serving { kUnknown = 0, kServing = 1, kNotServing = 2, kServiceUnknown = 3 };

// Thread-safe. Names: "" is the server as a whole, every other one a model (or a service of this server).
class HealthBoard {
 public:
  using Watcher = std::function<void(Serving)>;

  // Starts with "" as kNotServing.
  HealthBoard();

  void Set(const std::string& name, Serving status) ABSL_LOCKS_EXCLUDED(mutex_);
  // Watchers of the name are told kServiceUnknown.
  void Remove(const std::string& name) ABSL_LOCKS_EXCLUDED(mutex_);
  // kServiceUnknown for a name that was never set, or was removed.
  Serving Get(const std::string& name) const ABSL_LOCKS_EXCLUDED(mutex_);

  // From now on everything is kNotServing, whatever is set.
  void StopServing() ABSL_LOCKS_EXCLUDED(mutex_);

  // Calls `watcher` with the present status before it returns, and again after every change, never twice with the same;
  // always under the board's lock, so that no call is under way once Unwatch() has returned: it must be quick and must
  // not call back.
  int64_t Watch(const std::string& name, Watcher watcher) ABSL_LOCKS_EXCLUDED(mutex_);
  void Unwatch(int64_t id) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Subscription {
    std::string name;
    Serving last;
    Watcher watcher;
  };

  Serving Now(const std::string& name) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Notify() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Serving> statuses_ ABSL_GUARDED_BY(mutex_);
  std::map<int64_t, Subscription> subscriptions_ ABSL_GUARDED_BY(mutex_);
  int64_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace rml
