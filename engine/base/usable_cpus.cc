#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "engine/base/thread_pool.h"

namespace rml {
namespace {

// CPUs that a cgroup quota allows, or 0 if there is none. Reads what a container sees of its own group.
double CgroupQuota() {
  std::string quota;
  double period = 0;
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2 >> quota >> period) {
    return quota == "max" || period <= 0 ? 0 : std::strtod(quota.c_str(), nullptr) / period;
  }
  double quota_us = 0;
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (v1_quota >> quota_us && v1_period >> period && quota_us > 0 && period > 0) return quota_us / period;
  return 0;
}

}  // namespace

int UsableCpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  int cpus = sched_getaffinity(0, sizeof(mask), &mask) == 0 ? CPU_COUNT(&mask) : 1;
  if (const double quota = CgroupQuota(); quota > 0) cpus = std::min(cpus, static_cast<int>(std::ceil(quota)));
  return std::max(cpus, 1);
}

}  // namespace rml
