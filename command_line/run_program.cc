#include "command_line/run_program.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "absl/strings/str_cat.h"

namespace rml {
namespace {

// A folder that is open for reading: write() fails with EBADF and read() with EISDIR. It needs no /dev.
void TakeClosedDescriptors() {
  for (int fd = open("/", O_RDONLY | O_DIRECTORY); fd >= 0; fd = open("/", O_RDONLY | O_DIRECTORY)) {
    if (fd <= STDERR_FILENO) continue;
    close(fd);
    return;
  }
}

// 0, or the errno with which what was printed was lost. Some file systems tell only a close.
int FlushStandardOutput() {
  if (std::fflush(stdout) != 0) return errno;
  if (std::ferror(stdout) != 0) {
    // Lost on the way, and the C library kept no reason: one more byte of the damaged output tells it.
    return write(STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO;
  }
  const int copy = dup(STDOUT_FILENO);
  return copy < 0 || close(copy) == 0 ? 0 : errno;
}

std::string LostOutput(int error) { return absl::StrCat("writing to standard output: ", std::strerror(error)); }

}  // namespace

int RunProgram(const char* name, int failure_code, absl::FunctionRef<int()> body) {
  TakeClosedDescriptors();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  int code = failure_code;
  try {
    code = body();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: out of memory\n", name);
  }
  const int error = FlushStandardOutput();
  if (error == 0) return code;
  std::fprintf(stderr, "%s: %s\n", name, LostOutput(error).c_str());
  return code == 0 ? failure_code : code;
}

absl::Status PrintNow(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return absl::DataLossError(LostOutput(errno));
    text.remove_prefix(written);
  }
  return absl::OkStatus();
}

}  // namespace rml
