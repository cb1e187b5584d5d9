// Stands in front of the C library: a test that lists system_calls.cc among its sources decides what calls do.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>

namespace rml {

// What the code under test gets instead of the system's functions; an empty one is the system's own. A function fails as
// the system's does: it sets errno and returns -1.
struct SystemCalls {
  std::function<int(const char* path, int flags)> open{};  // -1, or anything else for the system's own
  std::function<ssize_t(int fd, void* to, size_t count, off_t offset)> pread{};
  std::function<ssize_t(int fd, const void* from, size_t count)> write{};
  std::function<int(int fd)> fsync{};
  std::function<int(const char* from, const char* to)> rename{};
};

// The system's own.
ssize_t RealPread(int fd, void* to, size_t count, off_t offset);
ssize_t RealWrite(int fd, const void* from, size_t count);

// Puts `calls` in place while it lives; one at a time.
class ScopedSystemCalls {
 public:
  explicit ScopedSystemCalls(SystemCalls calls);
  ~ScopedSystemCalls();
  ScopedSystemCalls(const ScopedSystemCalls&) = delete;
  ScopedSystemCalls& operator=(const ScopedSystemCalls&) = delete;
};

}  // namespace rml
