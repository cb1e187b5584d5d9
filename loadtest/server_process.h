// What a process uses, from Linux's /proc: no access to the server is needed beyond being on its machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace rml {

struct ProcessUsage {
  double cpu_seconds = 0;  // of all threads since its start
  int64_t rss_bytes = 0;
  int64_t threads = 0;
};

// NotFound if there is no such process, or it ended while it was read.
absl::StatusOr<ProcessUsage> ReadProcessUsage(int pid);

// The process that listens on a TCP port of this machine; empty if there is none, or it is another user's.
std::optional<int> FindListener(int port);

// The parts that need no process, for tests.
// /proc/PID/stat and /proc/PID/status.
absl::StatusOr<ProcessUsage> ParseProcessUsage(std::string_view stat, std::string_view status, double ticks_per_second);
// Inode of the first socket that listens on the port, in /proc/net/tcp or tcp6; 0 if there is none.
int64_t ParseListener(std::string_view table, int port);

}  // namespace rml
