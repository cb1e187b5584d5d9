#include "server/repository/model_repository.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "engine/base/thread_pool.h"
#include "server/repository/background.h"

namespace rml {
namespace {

// A plan's loads may ask for unloads, and these for names to be forgotten; more rounds only repeat what does not get on for
// lack of memory.
constexpr int kMaxRounds = 4;

}  // namespace

ModelRepository::ModelRepository(RepositoryOptions options, MetricsRegistry& metrics)
    : options_(std::move(options)),
      metrics_(metrics),
      mailbox_(std::make_shared<RepositoryMailbox>()),
      next_look_(options_.now()) {
  if (options_.mode != RepositoryMode::kExplicit) return;
  asked_.emplace(options_.load_at_start.begin(), options_.load_at_start.end());
}

ModelRepository::~ModelRepository() {
  RefuseAll();
  for (const ModelStatus& status : List()) {
    if (status.metrics) status.metrics->ready = false;
  }
}

void ModelRepository::Add(ScanResult found) {
  for (const std::string& name : options_.load_at_start) {
    const auto is_it = [&name](const auto& model) { return model.name == name; };
    if (std::any_of(found.models.begin(), found.models.end(), is_it)) continue;
    if (std::any_of(found.unusable.begin(), found.unusable.end(), is_it)) continue;
    found.unusable.push_back({name, 0, "there is no such model in the repository", UnusableModel::Why::kMissing});
  }
  seen_ = std::move(found);
  sightings_ = Observe(sightings_, seen_, Known(), options_.now());
  for (const Announcement& announcement : PlanUpdate(seen_, sightings_, Known(), Rules({})).announce) {
    Announce(announcement);
  }
}

void ModelRepository::LoadAll(const std::atomic<bool>& stop) {
  Perform(Rules({}), stop);
  next_look_ = options_.now() + options_.poll_interval;
}

void ModelRepository::KeepUpToDate(const std::atomic<bool>& stop) {
  ThreadPool::Process();  // its threads are not to be started by one of low priority
  while (!stop) {
    Step(stop);
    mailbox_->WaitUntil(options_.mode == RepositoryMode::kPoll ? next_look_ : Time::max());
  }
  RefuseAll();
}

void ModelRepository::Step(const std::atomic<bool>& stop) {
  priority_ = Priority::kLow;
  DestroyReleased(stop);
  RepositoryMailbox::Mail mail = mailbox_->Take();
  const bool poll = options_.mode == RepositoryMode::kPoll && options_.now() >= next_look_;
  if (mail.reread || poll) {
    // Without memory for it nothing has been done by halves: the next look does it.
    CatchOutOfMemory("looking at the model repository", [&] {
      RETURN_IF_ERROR(Look());
      UpdateRules rules = Rules(mail.reread ? std::chrono::nanoseconds(0) : options_.settle);
      if (mail.reread) rules.retry = UpdateRules::Retry::kFailed;
      Perform(std::move(rules), stop);
      return absl::OkStatus();
    }).IgnoreError();
    next_look_ = options_.now() + options_.poll_interval;
  }
  for (RepositoryMailbox::Request& request : mail.requests) Answer(request, stop);
  DestroyReleased(stop);
}

void ModelRepository::Close() {
  for (const ModelStatus& status : List()) {
    if (status.served) status.served->queue().Close();
  }
}

// ---- requests

absl::Status ModelRepository::Ask(RepositoryMailbox::Request::Kind kind, const std::string& name, Done& done) {
  if (options_.mode != RepositoryMode::kExplicit) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "models are loaded and unloaded on request in repository mode 'explicit' only; this server's is "
        "'%s'",
        NameOf(options_.mode)));
  }
  return mailbox_->Ask({kind, name, done});
}

void ModelRepository::Load(const std::string& name, Done done) {
  const absl::Status taken = Ask(RepositoryMailbox::Request::Kind::kLoad, name, done);
  if (!taken.ok()) done(taken);
}

void ModelRepository::Unload(const std::string& name, Done done) {
  const absl::Status taken = Ask(RepositoryMailbox::Request::Kind::kUnload, name, done);
  if (!taken.ok()) done(taken);
}

void ModelRepository::Answer(RepositoryMailbox::Request& request, const std::atomic<bool>& stop) {
  const bool load = request.kind == RepositoryMailbox::Request::Kind::kLoad;
  absl::Status status = CatchOutOfMemory("loading or unloading a model", [&] {
    return load ? LoadOnRequest(request.model, stop) : UnloadOnRequest(request.model, stop);
  });
  if (stop) status = absl::UnavailableError("the server is shutting down");
  if (load || !status.ok()) return request.done(status);
  waiting_.push_back({request.model, last_owner_, std::move(request.done)});
}

absl::Status ModelRepository::LoadOnRequest(const std::string& name, const std::atomic<bool>& stop) {
  RETURN_IF_ERROR(Look());
  const auto is_it = [&name](const auto& model) { return model.name == name; };
  if (std::none_of(seen_.models.begin(), seen_.models.end(), is_it) &&
      std::none_of(seen_.unusable.begin(), seen_.unusable.end(), is_it)) {
    RETURN_IF_ERROR(table_.Get(name, 0).status());
    return absl::NotFoundError(absl::StrFormat("%s has no folder in the repository any more", ModelLabel(name, 0)));
  }
  if (asked_) asked_->insert(name);
  UpdateRules rules = Rules({});
  rules.only = name;
  rules.retry = UpdateRules::Retry::kFailed;
  Perform(std::move(rules), stop);
  return OutcomeOfLoad(name);
}

absl::Status ModelRepository::OutcomeOfLoad(const std::string& name) const {
  std::vector<std::string> problems;
  for (const UnusableModel& model : seen_.unusable) {
    if (model.name == name) problems.push_back(ModelLabel(name, model.version) + ": " + model.reason);
  }
  for (const ModelSource& source : seen_.models) {
    if (source.name != name) continue;
    const absl::StatusOr<ModelStatus> status = table_.Get(name, source.version);
    if (!status.ok() || status->state != ModelState::kReady || !status->reason.empty()) {
      problems.push_back(ModelLabel(name, source.version) + ": " + (status.ok() ? status->reason : "it is not loaded"));
    }
  }
  if (problems.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrJoin(problems, "; "));
}

absl::Status ModelRepository::UnloadOnRequest(const std::string& name, const std::atomic<bool>& stop) {
  RETURN_IF_ERROR(table_.Get(name, 0).status());
  if (asked_) asked_->erase(name);
  UpdateRules rules = Rules({});
  rules.only = name;
  Perform(std::move(rules), stop);
  return absl::OkStatus();
}

void ModelRepository::AnswerUnloads() {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    // What was loaded after the request does not concern it.
    const bool is_there = std::any_of(owners_.begin(), owners_.end(), [&it](const Owner& owner) {
      return owner.key.first == it->name && owner.id <= it->last_owner;
    });
    if (is_there) {
      ++it;
      continue;
    }
    it->done(absl::OkStatus());
    it = waiting_.erase(it);
  }
}

void ModelRepository::RefuseAll() {
  const absl::Status status = absl::UnavailableError("the server is shutting down");
  for (const RepositoryMailbox::Request& request : mailbox_->Close()) request.done(status);
  for (const Waiting& unload : waiting_) unload.done(status);
  waiting_.clear();
}

// ---- looking and planning

absl::Status ModelRepository::Look() {
  if (!options_.look) return absl::OkStatus();
  absl::StatusOr<ScanResult> seen = options_.look();
  const std::string error(seen.status().message());
  if (!seen.ok() && error != look_error_) options_.on_look_error(seen.status());
  look_error_ = error;
  if (!seen.ok()) {  // nothing is known of any model: all that serve go on
    return absl::FailedPreconditionError("the model repository cannot be read: " + error);
  }
  seen_ = *std::move(seen);
  sightings_ = Observe(sightings_, seen_, Known(), options_.now());
  return absl::OkStatus();
}

KnownVersions ModelRepository::Known() const {
  KnownVersions known;
  for (const ModelStatus& status : List()) {
    known[{status.name, status.version}] = {status.state, status.tried, status.reason};
  }
  return known;
}

UpdateRules ModelRepository::Rules(std::chrono::nanoseconds settle) const {
  return {.now = options_.now(), .settle = settle, .asked = asked_};
}

void ModelRepository::Perform(UpdateRules rules, const std::atomic<bool>& stop) {
  for (int round = 0; round < kMaxRounds && !stop; ++round) {
    const UpdatePlan plan = PlanUpdate(seen_, sightings_, Known(), rules);
    if (plan.empty()) return;
    for (const Announcement& announcement : plan.announce) Announce(announcement);
    for (const VersionKey& key : plan.forget) Forget(key);
    for (const VersionKey& key : plan.unload) UnloadVersion(key);
    for (const ModelSource& source : plan.load) {
      if (stop) return;
      LoadVersion(source, stop);
    }
    rules.retry = UpdateRules::Retry::kChanged;
  }
}

// ---- changing states

void ModelRepository::Announce(const Announcement& announcement) {
  ModelStatus status{.name = announcement.name,
                     .version = announcement.version,
                     .state = announcement.state,
                     .reason = announcement.reason};
  if (status.state == ModelState::kFailed) metrics_.CountLoad(false);
  if (status.state == ModelState::kUnloaded) {
    metrics_.Drop(status.name, status.version);
  } else {
    status.metrics = metrics_.ForModel(status.name, status.version);
  }
  Set(status);
}

void ModelRepository::LoadVersion(const ModelSource& source, const std::atomic<bool>& stop) {
  const absl::Status noted = CatchOutOfMemory("noting how a load ended", [&] { return TryLoad(source, stop); });
  if (noted.ok()) return;
  // What the load held is free again. Should there be no room even for this, the model stays as it was.
  CatchOutOfMemory("noting that a load failed", [&] {
    Refuse(source, "out of memory");
    return absl::OkStatus();
  }).IgnoreError();
}

// OK also when the load fails, which is noted.
absl::Status ModelRepository::TryLoad(const ModelSource& source, const std::atomic<bool>& stop) {
  const auto start = std::chrono::steady_clock::now();
  ModelStatus status{.name = source.name, .version = source.version};
  status.metrics = metrics_.ForModel(source.name, source.version);
  if (absl::StatusOr<ModelStatus> old = Get(source.name, source.version); old.ok() && old->version == source.version &&
                                                                          old->state != ModelState::kReady &&
                                                                          old->state != ModelState::kLoading) {
    Set(status);  // as kLoading
  }
  absl::StatusOr<std::unique_ptr<ServedModel>> served =
      CatchOutOfMemory("loading the model", [&] { return LoadServed(source, status.metrics, stop); });
  if (absl::IsCancelled(served.status())) return absl::OkStatus();
  if (!served.ok()) {
    Refuse(source, std::string(NameHolders(served.status()).message()));
    return absl::OkStatus();
  }
  Owner& owner = owners_.emplace_back(
      Owner{.id = ++last_owner_, .key = {source.name, source.version}, .model = *std::move(served)});
  status.served =
      std::shared_ptr<ServedModel>(owner.model.get(), [released = owner.released, mailbox = mailbox_](auto*) {
        *released = true;  // before the thread wakes up to look at it
        mailbox->Wake();
      });
  status.state = ModelState::kReady;
  status.tried = source.stamp;
  status.load_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  metrics_.CountLoad(true);
  Set(status);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ServedModel>> ModelRepository::LoadServed(const ModelSource& source,
                                                                         const std::shared_ptr<ModelMetrics>& metrics,
                                                                         const std::atomic<bool>& stop) {
  ServeOptions options = Override(options_.serve, source.config);
  if (options_.memory_limit) options.memory_left = *options_.memory_limit - MemoryHeld();
  if (priority_ == Priority::kNormal) {
    ASSIGN_OR_RETURN(LoadedModel loaded, options_.load(source, options, stop));
    return ServedModel::Create(source, std::move(loaded), metrics);
  }
  absl::StatusOr<LoadedModel> loaded = absl::InternalError("not run");
  RunAtLowPriority(
      [&] { loaded = CatchOutOfMemory("loading the model", [&] { return options_.load(source, options, stop); }); });
  if (!loaded.ok()) return loaded.status();
  return ServedModel::Create(source, *std::move(loaded), metrics);  // here: its workers get this thread's priority
}

int64_t ModelRepository::MemoryHeld() const {
  return std::accumulate(owners_.begin(), owners_.end(), int64_t{0},
                         [](int64_t sum, const Owner& owner) { return sum + owner.model->memory_bytes(); });
}

absl::Status ModelRepository::NameHolders(const absl::Status& out_of_memory) const {
  if (!absl::IsResourceExhausted(out_of_memory) || !options_.memory_limit || owners_.empty()) return out_of_memory;
  constexpr size_t kMaxNamed = 8;
  std::vector<std::string> holders;
  for (const Owner& owner : owners_) {
    if (holders.size() == kMaxNamed) break;
    holders.push_back(absl::StrFormat("%s %d", owner.model->label(), owner.model->memory_bytes()));
  }
  if (owners_.size() > kMaxNamed) holders.push_back(absl::StrFormat("%d more", owners_.size() - kMaxNamed));
  return absl::ResourceExhaustedError(absl::StrFormat("%s (%d bytes are held by %s)", out_of_memory.message(),
                                                      MemoryHeld(), absl::StrJoin(holders, ", ")));
}

// A version that serves goes on.
void ModelRepository::Refuse(const ModelSource& source, const std::string& reason) {
  metrics_.CountLoad(false);
  ModelStatus status{.name = source.name, .version = source.version, .state = ModelState::kFailed};
  status.metrics = metrics_.ForModel(source.name, source.version);
  if (absl::StatusOr<ModelStatus> old = Get(source.name, source.version);
      old.ok() && old->version == source.version && old->state == ModelState::kReady) {
    status = *std::move(old);
  }
  status.reason = reason;
  status.tried = source.stamp;
  Set(status);
}

void ModelRepository::UnloadVersion(const VersionKey& key) {
  absl::StatusOr<ModelStatus> status = Get(key.first, key.second);
  if (!status.ok()) return;
  status->state = ModelState::kUnloading;
  status->reason.clear();
  status->tried.clear();
  status->served.reset();
  Set(*status);
}

void ModelRepository::Forget(const VersionKey& key) {
  ModelStatus status = table_.Erase(key);
  metrics_.Drop(key.first, key.second);
  status.state = ModelState::kUnloaded;
  options_.on_change(status);
}

void ModelRepository::Set(const ModelStatus& status) {
  if (status.metrics) status.metrics->ready = status.state == ModelState::kReady;
  {
    const ModelStatus old = table_.Set(status);  // its lease ends under no lock
  }
  options_.on_change(status);
}

// ---- leases

bool ModelRepository::HasOwner(const VersionKey& key) const {
  return std::any_of(owners_.begin(), owners_.end(), [&key](const Owner& owner) { return owner.key == key; });
}

void ModelRepository::DestroyReleased(const std::atomic<bool>& stop) {
  std::set<VersionKey> gone;
  for (auto it = owners_.begin(); it != owners_.end();) {
    const bool released = *it->released;
    if (released) gone.insert(it->key);
    it = released ? owners_.erase(it) : std::next(it);
  }
  if (!gone.empty()) GiveBackFreeMemory();
  for (const VersionKey& key : gone) {
    absl::StatusOr<ModelStatus> status = Get(key.first, key.second);
    if (!status.ok() || status->version != key.second || status->state != ModelState::kUnloading) continue;
    if (HasOwner(key)) continue;  // it was replaced a moment before it was unloaded
    status->state = ModelState::kUnloaded;
    status->metrics.reset();
    metrics_.Drop(key.first, key.second);
    Set(*status);
    UpdateRules rules = Rules(options_.settle);
    rules.only = key.first;
    Perform(std::move(rules), stop);
  }
  AnswerUnloads();
}

}  // namespace rml
