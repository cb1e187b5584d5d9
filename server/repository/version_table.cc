#include "server/repository/version_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/graph/quoted.h"

namespace rml {
namespace {

// "a, b, c and 5 more".
std::string FirstOf(const std::vector<std::string>& names) {
  constexpr size_t kMaxNames = 8;
  if (names.empty()) return "none";
  const size_t shown = std::min(names.size(), kMaxNames);
  const std::string list = absl::StrJoin(names.begin(), names.begin() + static_cast<int64_t>(shown), ", ");
  return shown < names.size() ? absl::StrFormat("%s and %d more", list, names.size() - shown) : list;
}

}  // namespace

ModelStatus VersionTable::Set(const ModelStatus& status) {
  MutexLock lock(mutex_);
  return std::exchange(versions_[{status.name, status.version}], status);
}

ModelStatus VersionTable::Erase(const VersionKey& key) {
  MutexLock lock(mutex_);
  const auto it = versions_.find(key);
  if (it == versions_.end()) return {};
  ModelStatus old = std::move(it->second);
  versions_.erase(it);
  return old;
}

absl::StatusOr<const ModelStatus*> VersionTable::Best(const std::string& name, int64_t version) const {
  const ModelStatus* best = nullptr;
  for (auto it = versions_.lower_bound({name, 0}); it != versions_.end() && it->first.first == name; ++it) {
    const ModelStatus& status = it->second;
    if (status.version == version && version != 0) return &status;
    if (best == nullptr || status.state == ModelState::kReady || best->state != ModelState::kReady) best = &status;
  }
  if (best == nullptr) return NoSuchModel(name);
  if (version == 0 || best->version == 0) return best;  // what is wrong with the whole model holds for every version
  return NoSuchVersion(name, version);
}

absl::StatusOr<ModelStatus> VersionTable::Get(const std::string& name, int64_t version) const {
  MutexLock lock(mutex_);
  const absl::StatusOr<const ModelStatus*> status = Best(name, version);
  if (!status.ok()) return status.status();
  return **status;
}

absl::Status VersionTable::NoSuchVersion(const std::string& name, int64_t version) const {
  std::vector<std::string> versions;
  for (auto it = versions_.lower_bound({name, 0}); it != versions_.end() && it->first.first == name; ++it) {
    if (it->second.version != 0) versions.push_back(std::to_string(it->second.version));
  }
  return absl::NotFoundError(
      absl::StrFormat("model '%s' has no version %d; it has: %s", name, version, FirstOf(versions)));
}

absl::Status VersionTable::NoSuchModel(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& [key, status] : versions_) {
    if (names.empty() || names.back() != key.first) names.push_back(key.first);
  }
  return absl::NotFoundError(absl::StrFormat("there is no model %s; the server has: %s", Quoted(name), FirstOf(names)));
}

absl::StatusOr<std::shared_ptr<ServedModel>> VersionTable::Find(const std::string& name, int64_t version) const {
  MutexLock lock(mutex_);
  const absl::StatusOr<const ModelStatus*> found = Best(name, version);
  if (!found.ok()) return found.status();
  const ModelStatus& status = **found;
  if (status.state == ModelState::kReady) return status.served;
  const std::string label = ModelLabel(name, status.version);
  switch (status.state) {
    case ModelState::kLoading:
      return absl::UnavailableError(absl::StrFormat("%s is loading; try again", label));
    case ModelState::kUnloading:
    case ModelState::kUnloaded:
      return absl::FailedPreconditionError(absl::StrFormat("%s is not loaded", label));
    case ModelState::kReady:
    case ModelState::kFailed:
      break;
  }
  return absl::FailedPreconditionError(absl::StrFormat("%s is not loaded: %s", label, status.reason));
}

std::vector<ModelStatus> VersionTable::List() const {
  MutexLock lock(mutex_);
  std::vector<ModelStatus> models;
  for (const auto& [key, status] : versions_) models.push_back(status);
  return models;
}

}  // namespace rml
