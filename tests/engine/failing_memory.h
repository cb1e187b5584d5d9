// Memory that runs out when a test says so: operator new and mmap of a test that lists failing_memory.cc among its sources.
// Blocks of less than kSmallestBytes are always given: what fails is what grows with a model, a request or a file, not the
// text of an error message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace rml {

constexpr size_t kSmallestBytes = 512;

// Of the whole process, on all threads. Only allocations of at least kSmallestBytes count and fail.
class FailingMemory {
 public:
  enum class Mode {
    kOnce,     // one allocation fails
    kForever,  // it and all after it
  };

  // Lets `good` allocations pass from now on; the next fails.
  static void FailAfter(int64_t good, Mode mode);
  // From now on all pass again. Whether one has failed since FailAfter().
  static bool Stop();

  // Blocks and mapped bytes that are held now.
  static int64_t live();
};

struct MemoryTrial {
  // Made anew for each failure; what it holds goes with it.
  std::function<absl::Status()> run;
  // Called after a run that failed, with memory: what was kept must still be usable. May be empty.
  std::function<absl::Status()> after{};
  int64_t stride = 1;  // 1: every allocation fails once; n: every n-th
  std::vector<FailingMemory::Mode> modes{FailingMemory::Mode::kOnce, FailingMemory::Mode::kForever};
  // Other threads may still give memory back after a run: leaks are then looked for over all runs together.
  bool leaves_threads = false;
};

// Runs `run` once as it is, then again and again with the first, the second, ... allocation failing, until none is left to
// fail, in both modes. Expects of each run that it is OK (what failed had a way around it) or ResourceExhausted, that it
// leaks nothing, and that `after` is OK. Returns the messages of the runs that failed.
std::set<std::string> ExpectSurvivesAllocationFailures(const MemoryTrial& trial);

}  // namespace rml
