#include "engine/exec/memory_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "engine/base/status_macros.h"

namespace rml {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kMostBytes = int64_t{1} << 62;

int64_t Align(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Free ranges of the arena by offset; neighbours are always merged.
class FreeRanges {
 public:
  int64_t Take(int64_t bytes) {
    auto best = ranges_.end();
    for (auto it = ranges_.begin(); it != ranges_.end(); ++it) {
      if (it->second >= bytes && (best == ranges_.end() || it->second < best->second)) best = it;
    }
    if (best != ranges_.end()) {
      const auto [offset, size] = *best;
      ranges_.erase(best);
      if (size > bytes) ranges_.emplace(offset + bytes, size - bytes);
      return offset;
    }
    // Grow the arena; a free range that touches its end is part of the new buffer.
    int64_t offset = end_;
    if (!ranges_.empty()) {
      const auto last = std::prev(ranges_.end());
      if (last->first + last->second == end_) {
        offset = last->first;
        ranges_.erase(last);
      }
    }
    end_ = offset + bytes;
    return offset;
  }

  void Give(int64_t offset, int64_t bytes) {
    auto next = ranges_.lower_bound(offset);
    if (next != ranges_.end() && offset + bytes == next->first) {
      bytes += next->second;
      next = ranges_.erase(next);
    }
    if (next != ranges_.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        previous->second += bytes;
        return;
      }
    }
    ranges_.emplace(offset, bytes);
  }

  int64_t end() const { return end_; }

 private:
  std::map<int64_t, int64_t> ranges_;
  int64_t end_ = 0;
};

// No arena is larger than all buffers beside each other.
absl::Status CheckTotal(absl::Span<const BufferLife> lives) {
  int64_t total = 0;
  for (const BufferLife& life : lives) {
    if (life.bytes > kMostBytes - kAlignment - total) {
      return absl::ResourceExhaustedError("out of memory: the buffers of a run have more than 2^62 bytes");
    }
    total += Align(life.bytes);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<MemoryPlan> PlanMemory(absl::Span<const BufferLife> lives) {
  RETURN_IF_ERROR(CheckTotal(lives));
  MemoryPlan plan;
  plan.offsets.resize(lives.size(), 0);
  std::vector<int> order(lives.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return lives[a].first < lives[b].first; });

  FreeRanges free_ranges;
  using Expiry = std::pair<int, int>;  // last step, buffer
  std::priority_queue<Expiry, std::vector<Expiry>, std::greater<>> alive;
  for (int buffer : order) {
    while (!alive.empty() && alive.top().first < lives[buffer].first) {
      const int expired = alive.top().second;
      alive.pop();
      free_ranges.Give(plan.offsets[expired], Align(lives[expired].bytes));
    }
    const int64_t bytes = Align(lives[buffer].bytes);
    if (bytes == 0) continue;
    plan.offsets[buffer] = free_ranges.Take(bytes);
    alive.emplace(lives[buffer].last, buffer);
  }
  plan.arena_bytes = free_ranges.end();
  return plan;
}

}  // namespace rml
