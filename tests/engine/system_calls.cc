#include "tests/engine/system_calls.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <utility>

namespace {

rml::SystemCalls g_calls;

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (g_calls.open && g_calls.open(path, flags) < 0) return -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

ssize_t pread(int fd, void* to, size_t count, off_t offset) {
  return g_calls.pread ? g_calls.pread(fd, to, count, offset) : rml::RealPread(fd, to, count, offset);
}

ssize_t write(int fd, const void* from, size_t count) {
  return g_calls.write ? g_calls.write(fd, from, count) : rml::RealWrite(fd, from, count);
}

int fsync(int fd) { return g_calls.fsync ? g_calls.fsync(fd) : static_cast<int>(syscall(SYS_fsync, fd)); }

int rename(const char* from, const char* to) {
  return g_calls.rename ? g_calls.rename(from, to)
                        : static_cast<int>(syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}

}  // extern "C"

namespace rml {

ssize_t RealPread(int fd, void* to, size_t count, off_t offset) { return syscall(SYS_pread64, fd, to, count, offset); }

ssize_t RealWrite(int fd, const void* from, size_t count) { return syscall(SYS_write, fd, from, count); }

ScopedSystemCalls::ScopedSystemCalls(SystemCalls calls) { g_calls = std::move(calls); }
ScopedSystemCalls::~ScopedSystemCalls() { g_calls = {}; }

}  // namespace rml
