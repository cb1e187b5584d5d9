#include "engine/base/cgroup.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace rml {
namespace {

namespace fs = std::filesystem;

// From 2^62 bytes on "unlimited" is meant: version 1 has no word for it and shows 2^63 rounded down to pages.
constexpr int64_t kUnlimited = int64_t{1} << 62;

// The numbers at the start of a file: one of memory.max, two of cpu.max. Ends at the first word that is none.
std::vector<int64_t> Numbers(const fs::path& path) {
  std::ifstream file(path);
  std::vector<int64_t> numbers;
  int64_t number = 0;
  for (std::string word; file >> word && absl::SimpleAtoi(word, &number);) numbers.push_back(number);
  return numbers;
}

std::optional<int64_t> Number(const fs::path& path) {
  const std::vector<int64_t> numbers = Numbers(path);
  return numbers.empty() ? std::nullopt : std::optional(numbers[0]);
}

// The value of `key` in lines of "key value", or 0.
int64_t Field(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  int64_t value = 0;
  for (std::string name; file >> name >> value;) {
    if (name == key) return value;
  }
  return 0;
}

// The process's group of a version 1 controller, or of version 2 for "": the third part of its line in /proc/self/cgroup,
// "4:cpu,cpuacct:/path" or "0::/path". The root if that cannot be read.
fs::path OwnGroup(const std::string& root, const std::string& controller) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() < 3) continue;
    const std::vector<std::string> controllers = absl::StrSplit(parts[1], ',');
    if (std::find(controllers.begin(), controllers.end(), controller) == controllers.end()) continue;
    // A group above a namespace's root shows as "/..": normal form keeps such a path below the mount.
    return fs::path("/" + parts[2]).lexically_normal().relative_path();
  }
  return {};
}

// The folders of the process's group and of all around it, innermost first.
std::vector<fs::path> Folders(const std::string& root, const std::string& controller) {
  const fs::path mount = fs::path(root + "/sys/fs/cgroup") / controller;
  std::vector<fs::path> folders;
  for (fs::path group = OwnGroup(root, controller); !group.empty(); group = group.parent_path()) {
    folders.push_back(mount / group);
  }
  folders.push_back(mount);
  return folders;
}

template <typename T>
void Lower(std::optional<T>& least, T value) {
  least = least ? std::min(*least, value) : value;
}

void LowerMemory(std::optional<int64_t>& least, std::optional<int64_t> limit, std::optional<int64_t> used,
                 int64_t file_pages) {
  if (!limit || *limit < 0 || *limit >= kUnlimited || !used || *used < 0) return;
  Lower(least, std::max<int64_t>(0, *limit - std::max<int64_t>(0, *used - std::max<int64_t>(0, file_pages))));
}

}  // namespace

std::optional<double> CgroupCpus(const std::string& root) {
  std::optional<double> least;
  const auto lower = [&least](int64_t quota, int64_t period) {
    if (quota > 0 && period > 0) Lower(least, static_cast<double>(quota) / static_cast<double>(period));
  };
  for (const fs::path& folder : Folders(root, "")) {
    const std::vector<int64_t> quota = Numbers(folder / "cpu.max");
    if (quota.size() == 2) lower(quota[0], quota[1]);
  }
  for (const fs::path& folder : Folders(root, "cpu")) {
    lower(Number(folder / "cpu.cfs_quota_us").value_or(-1), Number(folder / "cpu.cfs_period_us").value_or(-1));
  }
  return least;
}

std::optional<int64_t> CgroupMemory(const std::string& root) {
  std::optional<int64_t> least;
  for (const fs::path& folder : Folders(root, "")) {
    const fs::path stat = folder / "memory.stat";
    LowerMemory(least, Number(folder / "memory.max"), Number(folder / "memory.current"),
                Field(stat, "inactive_file") + Field(stat, "active_file"));
  }
  for (const fs::path& folder : Folders(root, "memory")) {
    const fs::path stat = folder / "memory.stat";
    LowerMemory(least, Number(folder / "memory.limit_in_bytes"), Number(folder / "memory.usage_in_bytes"),
                Field(stat, "total_inactive_file") + Field(stat, "total_active_file"));
  }
  return least;
}

}  // namespace rml
