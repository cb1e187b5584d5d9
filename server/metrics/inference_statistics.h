// What a model version has done since it is known, in exact counts and nanoseconds: the ModelStatistics of the Open
// Inference Protocol, whatever protocol the requests came by.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "server/metrics/shards.h"

namespace rml {

// How often, and for how long altogether.
struct DurationSum {
  uint64_t count = 0;
  uint64_t ns = 0;
};

// One execution of the model that succeeded.
struct Execution {
  int64_t rows = 1;
  std::chrono::nanoseconds queue{};    // waiting for an instance
  std::chrono::nanoseconds input{};    // checking and decoding the request
  std::chrono::nanoseconds compute{};  // the model itself
  std::chrono::nanoseconds output{};   // writing the answer
};

// Thread-safe, lock-free.
class InferenceStatistics {
 public:
  // Row counts that are told apart; those that come when so many have been seen are in the totals only.
  static constexpr size_t kMaxRowCounts = 64;

  struct PerRows {
    int64_t rows = 0;
    uint64_t count = 0;
    uint64_t input_ns = 0;
    uint64_t compute_ns = 0;
    uint64_t output_ns = 0;
  };

  struct Snapshot {
    uint64_t last_ms = 0;  // since 1970, when the last request came; 0: none has
    uint64_t rows = 0;     // of all executions
    DurationSum success, fail, queue, input, compute, output;
    std::vector<PerRows> per_rows;  // ascending
  };

  void AddExecution(const Execution& execution);
  // A request that a ready model was asked and that has been answered, after `duration`.
  void AddRequest(bool success, std::chrono::nanoseconds duration);

  Snapshot Read() const;

 private:
  struct Sum {
    ShardedCounter count;
    ShardedCounter ns;
    void Add(std::chrono::nanoseconds time);
    DurationSum Value() const { return {count.Value(), ns.Value()}; }
  };
  struct alignas(64) Slot {
    std::atomic<int64_t> rows{0};  // 0: free
    std::atomic<uint64_t> count{0};
    std::atomic<uint64_t> input_ns{0};
    std::atomic<uint64_t> compute_ns{0};
    std::atomic<uint64_t> output_ns{0};
  };

  // Nothing if all are taken by other row counts.
  Slot* SlotFor(int64_t rows);

  std::atomic<uint64_t> last_ms_{0};
  ShardedCounter rows_;
  Sum success_, fail_, queue_, input_, compute_, output_;
  std::array<Slot, kMaxRowCounts> slots_;
};

}  // namespace rml
