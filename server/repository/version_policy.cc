#include "server/repository/version_policy.h"

#include <algorithm>
#include <functional>

namespace rml {
namespace {

SelectedVersions Specific(const std::vector<Placed<int64_t>>& wanted, const std::vector<int64_t>& there) {
  SelectedVersions selected;
  for (const Placed<int64_t>& version : wanted) {
    if (std::find(there.begin(), there.end(), version.value) == there.end()) {
      selected.missing.push_back(version);
    } else {
      selected.serve.push_back(version.value);
    }
  }
  std::sort(selected.serve.begin(), selected.serve.end(), std::greater<>());
  return selected;
}

}  // namespace

SelectedVersions SelectVersions(const VersionPolicy& policy, std::vector<int64_t> there) {
  std::sort(there.begin(), there.end(), std::greater<>());
  switch (policy.kind) {
    case VersionPolicy::Kind::kSpecific:
      return Specific(policy.versions, there);
    case VersionPolicy::Kind::kLatest:
      there.resize(std::min(there.size(), static_cast<size_t>(policy.num_versions)));
      break;
    case VersionPolicy::Kind::kAll:
      break;
  }
  return {.serve = std::move(there)};
}

}  // namespace rml
