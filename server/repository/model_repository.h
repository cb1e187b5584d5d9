// The models that the server has, and how they come and go while it serves.
//
//   Add(look), LoadAll   the start: every version READY or FAILED
//   KeepUpToDate         from then on, on a thread of its own: looks at the folder again (poll mode, Reread), loads and
//                        unloads on request (explicit mode), puts new versions in the place of old ones
//
// A version in service is leased: Find() gives out shared pointers, and when the last of them has gone, so when the last
// request is answered, KeepUpToDate()'s thread destroys a version that was unloaded or replaced, and gives its memory back.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/config/repository_mode.h"
#include "server/metrics/registry.h"
#include "server/repository/load_model.h"
#include "server/repository/model_status.h"
#include "server/repository/repository_mailbox.h"
#include "server/repository/scan.h"
#include "server/repository/update_plan.h"
#include "server/repository/version_table.h"
#include "server/sync/mutex.h"

namespace rml {

struct RepositoryOptions {
  ServeOptions serve{};                   // what a model's config.textproto does not override
  std::optional<int64_t> memory_limit{};  // bytes that all models may hold, those included that are being replaced
  RepositoryMode mode = RepositoryMode::kStatic;
  std::vector<std::string> load_at_start{};  // of kExplicit: the models to load without being asked
  // Looks at the folder, after the first look that Add() was given. Absent: there is no more to see.
  std::function<absl::StatusOr<ScanResult>()> look{};
  std::chrono::nanoseconds poll_interval = std::chrono::seconds(1);
  std::chrono::nanoseconds settle = std::chrono::seconds(1);  // files that changed later than this ago are left alone
  // Called when the folder cannot be looked at, for the first time or for another reason than before.
  std::function<void(const absl::Status&)> on_look_error = [](const absl::Status&) {};
  // Called after every change of a state, also when a version is forgotten (as kUnloaded, and not listed), under no lock, by the thread that made it.
  std::function<void(const ModelStatus&)> on_change = [](const ModelStatus&) {};

  // For tests.
  std::function<absl::StatusOr<LoadedModel>(const ModelSource&, const ServeOptions&, const std::atomic<bool>&)> load =
      LoadModel;
  std::function<Time()> now = std::chrono::steady_clock::now;
};

// Thread-safe but for Add(), LoadAll(), KeepUpToDate() and Step(), which are for one thread at a time.
// Outlives all leases but those that it holds itself.
class ModelRepository {
 public:
  using Done = RepositoryMailbox::Done;

  ModelRepository(RepositoryOptions options, MetricsRegistry& metrics);
  ~ModelRepository();

  // Registers what was found, as loading, unloaded or failed. Call before LoadAll().
  void Add(ScanResult found);
  // Loads every model, one after the other; returns early once `stop` is set, with the model under way still loading.
  void LoadAll(const std::atomic<bool>& stop);
  // Does what time, requests and ended leases ask for until `stop` is set and Wake() called. Loads at low priority.
  // Requests that are left are answered with Unavailable.
  void KeepUpToDate(const std::atomic<bool>& stop);
  // One round of it, without waiting.
  void Step(const std::atomic<bool>& stop);
  void Wake() { mailbox_->Wake(); }

  // As VersionTable.
  absl::StatusOr<std::shared_ptr<ServedModel>> Find(const std::string& name, int64_t version) const {
    return table_.Find(name, version);
  }
  absl::StatusOr<ModelStatus> Get(const std::string& name, int64_t version) const { return table_.Get(name, version); }
  std::vector<ModelStatus> List() const { return table_.List(); }

  // Loads the versions of a model that its config selects, or those of them whose files have changed; versions that take
  // the place of others do so when they are ready. `done` is called once, by KeepUpToDate()'s thread or, if nothing is to
  // be done, by this one. OK: all selected versions are ready, from the files that are there now. Errors: NotFound;
  // FailedPrecondition with the reason, also if this server's mode does not take requests; ResourceExhausted (too many of
  // them wait); Unavailable (shutting down).
  void Load(const std::string& name, Done done);
  // Unloads all versions of a model. `done` as Load(), once the last request has been answered and the memory is free.
  // OK also for a model that is not loaded. Errors: as Load().
  void Unload(const std::string& name, Done done);
  // Looks at the folder now, in any mode: takes what has changed without waiting for it to settle, and tries again what
  // has failed.
  void Reread() { mailbox_->AskToReread(); }

  // Takes no more requests; those waiting are still answered.
  void Close();

 private:
  // A version in service, destroyed once its lease has ended.
  struct Owner {
    int64_t id;
    VersionKey key;
    std::unique_ptr<ServedModel> model{};
    std::shared_ptr<std::atomic<bool>> released = std::make_shared<std::atomic<bool>>(false);
  };
  // An Unload() whose models are not gone yet.
  struct Waiting {
    std::string name;
    int64_t last_owner;  // the newest of them
    Done done;
  };

  absl::Status Ask(RepositoryMailbox::Request::Kind kind, const std::string& name, Done& done);
  void Answer(RepositoryMailbox::Request& request, const std::atomic<bool>& stop);
  absl::Status LoadOnRequest(const std::string& name, const std::atomic<bool>& stop);
  absl::Status OutcomeOfLoad(const std::string& name) const;
  absl::Status UnloadOnRequest(const std::string& name, const std::atomic<bool>& stop);
  void AnswerUnloads();
  void RefuseAll();

  absl::Status Look();
  KnownVersions Known() const;
  UpdateRules Rules(std::chrono::nanoseconds settle) const;
  void Perform(UpdateRules rules, const std::atomic<bool>& stop);
  void Announce(const Announcement& announcement);
  void LoadVersion(const ModelSource& source, const std::atomic<bool>& stop);
  absl::Status TryLoad(const ModelSource& source, const std::atomic<bool>& stop);
  int64_t MemoryHeld() const;
  absl::Status NameHolders(const absl::Status& out_of_memory) const;
  absl::StatusOr<std::unique_ptr<ServedModel>> LoadServed(const ModelSource& source,
                                                          const std::shared_ptr<ModelMetrics>& metrics,
                                                          const std::atomic<bool>& stop);
  void Refuse(const ModelSource& source, const std::string& reason);
  void UnloadVersion(const VersionKey& key);
  void Forget(const VersionKey& key);
  void Set(const ModelStatus& status);
  bool HasOwner(const VersionKey& key) const;
  void DestroyReleased(const std::atomic<bool>& stop);

  const RepositoryOptions options_;
  MetricsRegistry& metrics_;
  VersionTable table_;
  const std::shared_ptr<RepositoryMailbox> mailbox_;  // shared with the leases

  // Of the one thread.
  enum class Priority : uint8_t { kNormal, kLow };
  Priority priority_ = Priority::kNormal;       // of the thread that compiles
  std::optional<std::set<std::string>> asked_;  // of kExplicit
  ScanResult seen_;
  Sightings sightings_;
  Time next_look_;
  std::string look_error_;  // of the last look; empty: it was all right
  std::list<Owner> owners_;
  int64_t last_owner_ = 0;
  std::list<Waiting> waiting_;
};

}  // namespace rml
