// How many threads are worth running.
#pragma once

#include <sched.h>

#include <string>

namespace rml {

// The number of threads this process may usefully run: CPUs in the affinity mask, bounded by the cgroup CPU quota
// (v1 and v2, rounded up), at least 1.
int UsableCpus();

// What UsableCpus() is made of, for tests: sched_getaffinity() and what stands in front of /proc and /sys.
struct CpuSources {
  int (*get_affinity)(pid_t, size_t, cpu_set_t*) = &sched_getaffinity;
  std::string root{};
};
int UsableCpus(const CpuSources& sources);

}  // namespace rml
