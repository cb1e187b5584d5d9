// What the control groups of this process leave it: CPU time and memory, version 1 or 2, whichever the system has.
//
// A group's limit also holds for the groups inside it, so each is the least over the process's own group and all around
// it. In a container /proc/self/cgroup may name groups that cannot be seen from inside; then the root that can be seen is
// the container's own. What is missing, unreadable or no number counts as no limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rml {

// CPUs' worth of time (quota / period). `root` stands in front of /proc and /sys: tests make such trees of their own.
std::optional<double> CgroupCpus(const std::string& root = "");

// Bytes until the memory limit, counting pages of files as free: the kernel drops those first.
std::optional<int64_t> CgroupMemory(const std::string& root = "");

}  // namespace rml
