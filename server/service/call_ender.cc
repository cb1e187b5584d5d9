#include "server/service/call_ender.h"

#include <utility>

namespace rml {

void CallEnder::Add(const void* key, End end) {
  MutexLock lock(mutex_);
  if (ended_) return end();
  ends_[key] = std::move(end);
}

void CallEnder::Remove(const void* key) {
  MutexLock lock(mutex_);
  ends_.erase(key);
}

void CallEnder::EndAll() {
  MutexLock lock(mutex_);
  ended_ = true;
  for (const auto& [key, end] : ends_) end();
}

}  // namespace rml
