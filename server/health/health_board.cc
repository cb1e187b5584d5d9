#include "server/health/health_board.h"

#include <utility>

namespace rml {

HealthBoard::HealthBoard() : statuses_{{"", Serving::kNotServing}} {}

void HealthBoard::Set(const std::string& name, Serving status) {
  MutexLock lock(mutex_);
  statuses_[name] = status;
  Notify();
}

void HealthBoard::Remove(const std::string& name) {
  MutexLock lock(mutex_);
  statuses_.erase(name);
  Notify();
}

Serving HealthBoard::Get(const std::string& name) const {
  MutexLock lock(mutex_);
  return Now(name);
}

void HealthBoard::StopServing() {
  MutexLock lock(mutex_);
  stopped_ = true;
  Notify();
}

int64_t HealthBoard::Watch(const std::string& name, Watcher watcher) {
  MutexLock lock(mutex_);
  const Serving now = Now(name);
  watcher(now);
  subscriptions_[++next_id_] = {name, now, std::move(watcher)};
  return next_id_;
}

void HealthBoard::Unwatch(int64_t id) {
  MutexLock lock(mutex_);
  subscriptions_.erase(id);
}

Serving HealthBoard::Now(const std::string& name) const {
  const auto it = statuses_.find(name);
  if (it == statuses_.end()) return Serving::kServiceUnknown;
  return stopped_ ? Serving::kNotServing : it->second;
}

void HealthBoard::Notify() {
  for (auto& [id, subscription] : subscriptions_) {
    const Serving now = Now(subscription.name);
    if (std::exchange(subscription.last, now) != now) subscription.watcher(now);
  }
}

}  // namespace rml
