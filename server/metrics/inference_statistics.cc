#include "server/metrics/inference_statistics.h"

#include <algorithm>

namespace rml {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

uint64_t Count(std::chrono::nanoseconds time) { return static_cast<uint64_t>(std::max<int64_t>(0, time.count())); }

}  // namespace

void InferenceStatistics::Sum::Add(std::chrono::nanoseconds time) {
  count.Add();
  ns.Add(Count(time));
}

void InferenceStatistics::AddExecution(const Execution& execution) {
  rows_.Add(static_cast<uint64_t>(execution.rows));
  queue_.Add(execution.queue);
  input_.Add(execution.input);
  compute_.Add(execution.compute);
  output_.Add(execution.output);
  Slot* slot = SlotFor(execution.rows);
  if (slot == nullptr) return;
  slot->count.fetch_add(1, kRelaxed);
  slot->input_ns.fetch_add(Count(execution.input), kRelaxed);
  slot->compute_ns.fetch_add(Count(execution.compute), kRelaxed);
  slot->output_ns.fetch_add(Count(execution.output), kRelaxed);
}

void InferenceStatistics::AddRequest(bool success, std::chrono::nanoseconds duration) {
  const auto came = std::chrono::system_clock::now() - duration;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(came.time_since_epoch()).count();
  last_ms_.store(static_cast<uint64_t>(ms), kRelaxed);
  (success ? success_ : fail_).Add(duration);
}

InferenceStatistics::Slot* InferenceStatistics::SlotFor(int64_t rows) {
  for (Slot& slot : slots_) {
    int64_t taken = slot.rows.load(kRelaxed);
    if (taken == rows) return &slot;
    // Of several threads one takes the slot; the others find in `taken` for which rows.
    if (taken == 0 && (slot.rows.compare_exchange_strong(taken, rows, kRelaxed) || taken == rows)) return &slot;
  }
  return nullptr;
}

InferenceStatistics::Snapshot InferenceStatistics::Read() const {
  Snapshot snapshot{.last_ms = last_ms_.load(kRelaxed),
                    .rows = rows_.Value(),
                    .success = success_.Value(),
                    .fail = fail_.Value(),
                    .queue = queue_.Value(),
                    .input = input_.Value(),
                    .compute = compute_.Value(),
                    .output = output_.Value(),
                    .per_rows = {}};
  for (const Slot& slot : slots_) {
    const int64_t rows = slot.rows.load(kRelaxed);
    if (rows == 0) break;
    snapshot.per_rows.push_back({.rows = rows,
                                 .count = slot.count.load(kRelaxed),
                                 .input_ns = slot.input_ns.load(kRelaxed),
                                 .compute_ns = slot.compute_ns.load(kRelaxed),
                                 .output_ns = slot.output_ns.load(kRelaxed)});
  }
  std::sort(snapshot.per_rows.begin(), snapshot.per_rows.end(),
            [](const PerRows& a, const PerRows& b) { return a.rows < b.rows; });
  return snapshot;
}

}  // namespace rml
