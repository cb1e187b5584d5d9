#include "tests/engine/random/checked_child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

namespace rml {
namespace {

constexpr unsigned kSecondsUntilHang = 60;

void WriteAll(int fd, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = write(fd, text.data() + done, text.size() - done);
    if (written <= 0) return;
    done += static_cast<size_t>(written);
  }
}

std::string ReadAll(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(fd, buffer, sizeof(buffer))) > 0;) text.append(buffer, static_cast<size_t>(got));
  return text;
}

[[noreturn]] void RunChild(const RandomCase& random_case, const CheckOptions& options, int fd) {
  alarm(kSecondsUntilHang);
  const auto failure = CheckCase(random_case, options);
  if (failure) WriteAll(fd, absl::StrCat(failure->stage, "\n", failure->what));
  _exit(0);
}

}  // namespace

std::optional<CheckFailure> CheckInChild(const RandomCase& random_case, const CheckOptions& options) {
  int fds[2];
  if (pipe(fds) != 0) return CheckFailure{"crash", absl::StrCat("no pipe: ", std::strerror(errno))};
  const pid_t child = fork();
  if (child < 0) return CheckFailure{"crash", absl::StrCat("no process: ", std::strerror(errno))};
  if (child == 0) {
    close(fds[0]);
    RunChild(random_case, options, fds[1]);
  }
  close(fds[1]);
  const std::string text = ReadAll(fds[0]);
  close(fds[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    if (number == SIGALRM) return CheckFailure{"hang", absl::StrCat("no end after ", kSecondsUntilHang, " s")};
    return CheckFailure{"crash", absl::StrCat("signal ", number, " (", strsignal(number), ")")};
  }
  if (WEXITSTATUS(status) != 0) return CheckFailure{"crash", absl::StrCat("exit code ", WEXITSTATUS(status))};
  if (text.empty()) return std::nullopt;
  const size_t stage_end = text.find('\n');
  return CheckFailure{text.substr(0, stage_end), text.substr(stage_end + 1)};
}

}  // namespace rml
