// Many parts of one measurement on all cores.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/base/usable_cpus.h"

namespace rml {

// merge(measure(part)) for part = 0 ... count - 1, in no order; merge is called by one thread at a time. `progress` gets
// the share of parts that are done, between 0 and 1.
template <typename Measure, typename Merge>
void OnAllCores(uint32_t count, Measure measure, Merge merge, const std::function<void(double)>& progress) {
  std::atomic<uint32_t> next = 0;
  std::mutex mutex;
  uint32_t done = 0;
  const auto work = [&] {
    for (uint32_t part = next++; part < count; part = next++) {
      const auto result = measure(part);
      const std::lock_guard lock(mutex);
      merge(result);
      progress(static_cast<double>(++done) / count);
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < UsableCpus(); ++i) threads.emplace_back(work);
}

}  // namespace rml
