#include "engine/base/usable_cpus.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/base/cgroup.h"

namespace rml {
namespace {

// cpu_set_t holds 1024 CPUs; the kernel refuses (EINVAL) a set smaller than its own, which it builds for at most 8192.
constexpr size_t kMostSets = 64;

// CPUs in the mask of this thread; all that are online if it cannot be had.
int AffinityCpus(const CpuSources& sources) {
  for (size_t sets = 1; sets <= kMostSets; sets *= 2) {
    std::vector<cpu_set_t> mask(sets);
    const size_t bytes = sets * sizeof(cpu_set_t);
    if (sources.get_affinity(0, bytes, mask.data()) == 0) return CPU_COUNT_S(bytes, mask.data());
    if (errno != EINVAL) break;
  }
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace

int UsableCpus(const CpuSources& sources) {
  double cpus = AffinityCpus(sources);
  if (const std::optional<double> quota = CgroupCpus(sources.root)) cpus = std::min(cpus, std::ceil(*quota));
  return std::max(1, static_cast<int>(cpus));
}

int UsableCpus() { return UsableCpus(CpuSources()); }

}  // namespace rml
