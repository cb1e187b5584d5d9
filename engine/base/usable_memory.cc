#include "engine/base/usable_memory.h"

#include <algorithm>
#include <fstream>

#include "engine/base/cgroup.h"

namespace rml {
namespace {

// MemAvailable and SwapFree of "MemAvailable:  1234 kB" lines.
std::optional<int64_t> MachineMemory(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  std::optional<int64_t> available;
  int64_t swap = 0, kib = 0;
  std::string unit;
  for (std::string name; file >> name >> kib; std::getline(file, unit)) {
    if (name == "MemAvailable:") available = kib * 1024;
    if (name == "SwapFree:") swap = kib * 1024;
  }
  return available ? std::optional(*available + swap) : std::nullopt;
}

}  // namespace

std::optional<int64_t> UsableMemory(const std::string& root) {
  const std::optional<int64_t> machine = MachineMemory(root);
  const std::optional<int64_t> group = CgroupMemory(root);
  if (machine && group) return std::min(*machine, *group);
  return machine ? machine : group;
}

}  // namespace rml
