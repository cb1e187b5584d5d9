// What is to be done so that the server has what the repository's folder shows: pure functions of one look at the folder,
// of what is known, and of a point in time.
//
//   look ──> Observe ──> since when has each version looked as it does now?
//                └─────> PlanUpdate ──> announce, load, unload, forget; again until there is nothing left to do
//
// The rules:
//   - files are loaded once they have stayed as they are for `settle`; a version that has gone is unloaded after as long;
//   - files that were tried are tried again only when they have changed, or on request;
//   - a version that serves goes on until all versions that take its place are ready: a failure never takes away what
//     serves, nor does a config that is not all right;
//   - a model that was unloaded on request, or never asked for (explicit mode), is listed and not loaded.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/repository/model_status.h"
#include "server/repository/scan.h"

namespace rml {

using Time = std::chrono::steady_clock::time_point;

// What a plan has to know of a version.
struct KnownVersion {
  ModelState state = ModelState::kLoading;
  std::string tried{};   // as ModelStatus
  std::string reason{};  // as ModelStatus
};
using KnownVersions = std::map<VersionKey, KnownVersion>;

// How a version looked when it was last looked at, and since when.
struct Sighting {
  std::string stamp;  // empty: it was not there
  Time since;
};
using Sightings = std::map<VersionKey, Sighting>;

// `before` brought up to a look at `now`. Versions that are neither seen nor known are dropped.
Sightings Observe(const Sightings& before, const ScanResult& seen, const KnownVersions& known, Time now);

struct UpdateRules {
  Time now;
  std::chrono::nanoseconds settle{0};
  std::optional<std::set<std::string>> asked{};  // the models to serve; absent: all that are seen
  std::optional<std::string> only{};             // the model that the plan is for; absent: all of them
  enum class Retry : uint8_t { kChanged, kFailed };
  Retry retry = Retry::kChanged;  // kFailed: what failed is tried again although its files are the same
};

// A state to be noted without any work.
struct Announcement {
  std::string name;
  int64_t version = 0;
  ModelState state = ModelState::kLoading;
  std::string reason{};
};

struct UpdatePlan {
  std::vector<Announcement> announce{};
  std::vector<ModelSource> load{};  // in this order
  std::vector<VersionKey> unload{};
  std::vector<VersionKey> forget{};  // known, not serving, and of no interest any more

  bool empty() const { return announce.empty() && load.empty() && unload.empty() && forget.empty(); }
};

// Requires that `sightings` are of `seen`.
UpdatePlan PlanUpdate(const ScanResult& seen, const Sightings& sightings, const KnownVersions& known,
                      const UpdateRules& rules);

}  // namespace rml
