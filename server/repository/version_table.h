// The versions that the server knows, by model and version.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/repository/model_status.h"
#include "server/sync/mutex.h"

namespace rml {

// Thread-safe.
class VersionTable {
 public:
  // The version to serve (0: the highest that is ready). Errors: NotFound (naming the models there are), Unavailable
  // while it loads, FailedPrecondition with the reason if it is not loaded.
  absl::StatusOr<std::shared_ptr<ServedModel>> Find(const std::string& name, int64_t version) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The same, in whatever state (0: the highest that is ready, else the highest). A model that is unusable as a whole is
  // given for every version. NotFound.
  absl::StatusOr<ModelStatus> Get(const std::string& name, int64_t version) const ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<ModelStatus> List() const ABSL_LOCKS_EXCLUDED(mutex_);  // by name, then version

  // What was there before is returned, so that its lease ends under no lock.
  ModelStatus Set(const ModelStatus& status) ABSL_LOCKS_EXCLUDED(mutex_);
  ModelStatus Erase(const VersionKey& key) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::StatusOr<const ModelStatus*> Best(const std::string& name, int64_t version) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status NoSuchModel(const std::string& name) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status NoSuchVersion(const std::string& name, int64_t version) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  std::map<VersionKey, ModelStatus> versions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace rml
