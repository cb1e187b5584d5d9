#include "server/repository/update_plan.h"

#include <algorithm>
#include <utility>

namespace rml {
namespace {

constexpr char kSettling[] = "its files have changed a moment ago; it is loaded when they stay as they are";

// What a look shows of one model.
struct SeenModel {
  std::vector<const ModelSource*> versions{};
  std::vector<const UnusableModel*> unusable{};
};

std::map<std::string, SeenModel> ByModel(const ScanResult& seen, const KnownVersions& known) {
  std::map<std::string, SeenModel> models;
  for (const ModelSource& source : seen.models) models[source.name].versions.push_back(&source);
  for (const UnusableModel& model : seen.unusable) models[model.name].unusable.push_back(&model);
  for (const auto& [key, version] : known) models[key.first];
  return models;
}

// The plan for one model.
class ModelPlan {
 public:
  ModelPlan(const std::string& name, const SeenModel& seen, const Sightings& sightings, const KnownVersions& known,
            const UpdateRules& rules, UpdatePlan& plan)
      : name_(name),
        seen_(seen),
        sightings_(sightings),
        known_(known),
        rules_(rules),
        plan_(plan),
        asked_(!rules.asked || rules.asked->count(name) > 0) {}

  void Make() {
    for (const UnusableModel* model : seen_.unusable) AnnounceUnusable(*model);
    for (const ModelSource* source : seen_.versions) asked_ ? Want(*source) : Offer(*source);
    for (auto it = known_.lower_bound({name_, 0}); it != known_.end() && it->first.first == name_; ++it) {
      if (!asked_ || !IsSeen(it->first.second)) Leave(it->first, it->second);
    }
  }

 private:
  const KnownVersion* Known(int64_t version) const {
    const auto it = known_.find({name_, version});
    return it == known_.end() ? nullptr : &it->second;
  }

  bool IsReady(int64_t version) const {
    const KnownVersion* known = Known(version);
    return known != nullptr && known->state == ModelState::kReady;
  }

  bool IsSeen(int64_t version) const {
    return std::any_of(seen_.versions.begin(), seen_.versions.end(),
                       [version](const ModelSource* source) { return source->version == version; });
  }

  bool Settled(int64_t version) const {
    const auto it = sightings_.find({name_, version});
    return it == sightings_.end() || rules_.now - it->second.since >= rules_.settle;
  }

  void AnnounceUnusable(const UnusableModel& model) {
    const KnownVersion* known = Known(model.version);
    if (known != nullptr) {  // what serves is unloaded first, if at all
      if (known->state == ModelState::kReady || known->state == ModelState::kUnloading) return;
      if (known->state == ModelState::kFailed && known->reason == model.reason) return;
    }
    if (!Settled(model.version)) return;
    plan_.announce.push_back({name_, model.version, ModelState::kFailed, model.reason});
  }

  // A version that is to be served.
  void Want(const ModelSource& source) {
    const KnownVersion* known = Known(source.version);
    if (known == nullptr) {
      const bool wait = !Settled(source.version);
      plan_.announce.push_back({name_, source.version, ModelState::kLoading, wait ? kSettling : ""});
    }
    if (NeedsLoad(source, known) && Settled(source.version)) plan_.load.push_back(source);
  }

  bool NeedsLoad(const ModelSource& source, const KnownVersion* known) const {
    if (known == nullptr) return true;
    if (known->state == ModelState::kUnloaded || known->state == ModelState::kUnloading) return true;
    return known->tried != source.stamp || (rules_.retry == UpdateRules::Retry::kFailed && !known->reason.empty());
  }

  // A version that is there and not asked for.
  void Offer(const ModelSource& source) {
    const KnownVersion* known = Known(source.version);
    if (known == nullptr || known->state == ModelState::kFailed || known->state == ModelState::kLoading) {
      plan_.announce.push_back({name_, source.version, ModelState::kUnloaded});
    }
  }

  // A known version that is not to be served.
  void Leave(const VersionKey& key, const KnownVersion& known) {
    switch (known.state) {
      case ModelState::kReady:
        if (!asked_ || (!IsNeeded(key.second) && Settled(key.second))) plan_.unload.push_back(key);
        break;
      case ModelState::kUnloading:
        break;
      case ModelState::kLoading:
      case ModelState::kUnloaded:
      case ModelState::kFailed:
        if (!IsSeen(key.second) && !IsUnusable(key.second)) plan_.forget.push_back(key);
        break;
    }
  }

  bool IsUnusable(int64_t version) const {
    return std::any_of(seen_.unusable.begin(), seen_.unusable.end(),
                       [version](const UnusableModel* model) { return model->version == version; });
  }

  // Whether a version that serves has to go on as long as what is to take its place does not serve.
  bool IsNeeded(int64_t version) const {
    const bool successor_missing = std::any_of(seen_.versions.begin(), seen_.versions.end(),
                                               [this](const ModelSource* source) { return !IsReady(source->version); });
    return successor_missing || std::any_of(seen_.unusable.begin(), seen_.unusable.end(), [&](const auto* model) {
             if (model->why == UnusableModel::Why::kCannotTell) return true;
             return model->version != 0 && model->version != version;
           });
  }

  const std::string& name_;
  const SeenModel& seen_;
  const Sightings& sightings_;
  const KnownVersions& known_;
  const UpdateRules& rules_;
  UpdatePlan& plan_;
  const bool asked_;
};

}  // namespace

Sightings Observe(const Sightings& before, const ScanResult& seen, const KnownVersions& known, Time now) {
  Sightings after;
  const auto see = [&](const VersionKey& key, const std::string& stamp) {
    const auto it = before.find(key);
    const bool same = it != before.end() && it->second.stamp == stamp;
    after[key] = {stamp, same ? it->second.since : now};
  };
  for (const UnusableModel& model : seen.unusable) see({model.name, model.version}, model.reason);
  for (const ModelSource& source : seen.models) see({source.name, source.version}, source.stamp);
  for (const auto& [key, version] : known) {
    if (after.count(key) == 0) see(key, "");
  }
  return after;
}

UpdatePlan PlanUpdate(const ScanResult& seen, const Sightings& sightings, const KnownVersions& known,
                      const UpdateRules& rules) {
  UpdatePlan plan;
  for (const auto& [name, model] : ByModel(seen, known)) {
    if (!rules.only || name == *rules.only) ModelPlan(name, model, sightings, known, rules, plan).Make();
  }
  return plan;
}

}  // namespace rml
