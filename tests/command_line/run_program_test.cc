#include "command_line/run_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <string>

namespace rml {
namespace {

constexpr int kFailure = 7;

void ToFullDevice() { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); }
void ToNull() { dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO); }
void Close() { close(STDOUT_FILENO); }
void ToPipeWithoutReader() {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  dup2(ends[1], STDOUT_FILENO);
  close(ends[0]);
  close(ends[1]);
}

int PrintsLittle() {
  std::puts("text");
  return 0;
}
// More than the C library's buffer, so that the error comes before the end.
int PrintsMuch() {
  std::cout << std::string(1 << 20, 'x') << '\n';
  return 0;
}
int PrintsAndFails() {
  std::puts("text");
  return 3;
}
int PrintsNothing() { return 0; }
int RunsOutOfMemory() { throw std::bad_alloc(); }

struct OutputCase {
  const char* name;
  void (*redirect)();
  int (*body)();
  int code;
  const char* error;  // all of standard error
};

class RunProgramTest : public testing::TestWithParam<OutputCase> {};

// In a process of its own, as it changes standard output.
TEST_P(RunProgramTest, ExitCodeAndMessage) {
  const OutputCase& c = GetParam();
  const auto run = [&c] {
    c.redirect();
    std::_Exit(RunProgram("prog", kFailure, c.body));
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(c.code), c.error);
}

constexpr char kFull[] = "^prog: writing to standard output: No space left on device\n$";
constexpr char kClosed[] = "^prog: writing to standard output: Bad file descriptor\n$";
constexpr char kBroken[] = "^prog: writing to standard output: Broken pipe\n$";
INSTANTIATE_TEST_SUITE_P(RunProgram, RunProgramTest,
                         testing::Values(OutputCase{"Fine", ToNull, PrintsLittle, 0, "^$"},
                                         OutputCase{"Fails", ToNull, PrintsAndFails, 3, "^$"},
                                         OutputCase{"FullLittle", ToFullDevice, PrintsLittle, kFailure, kFull},
                                         OutputCase{"FullMuch", ToFullDevice, PrintsMuch, kFailure, kFull},
                                         OutputCase{"FullKeepsTheCode", ToFullDevice, PrintsAndFails, 3, kFull},
                                         OutputCase{"FullNothing", ToFullDevice, PrintsNothing, 0, "^$"},
                                         OutputCase{"Closed", Close, PrintsLittle, kFailure, kClosed},
                                         OutputCase{"ClosedNothing", Close, PrintsNothing, 0, "^$"},
                                         OutputCase{"Pipe", ToPipeWithoutReader, PrintsLittle, kFailure, kBroken},
                                         OutputCase{"PipeMuch", ToPipeWithoutReader, PrintsMuch, kFailure, kBroken},
                                         OutputCase{"Memory", ToNull, RunsOutOfMemory, kFailure,
                                                    "^prog: out of memory\n$"}),
                         [](const auto& test) { return test.param.name; });

TEST(RunProgram, ClosedDescriptorsAreNotGivenToOthers) {
  const auto run = [] {
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    std::_Exit(RunProgram("prog", kFailure, [] {
      const int fd = open("/dev/null", O_RDWR);
      char byte;
      return fd > STDERR_FILENO && read(STDIN_FILENO, &byte, 1) < 0 && write(STDOUT_FILENO, "x", 1) < 0 ? 0 : 1;
    }));
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "^$");
}

TEST(RunProgram, AFileBeyondTheLimitIsAnErrorOfTheWrite) {
  const auto run = [] {
    std::_Exit(RunProgram("prog", kFailure, [] {
      const rlimit none{0, 0};
      setrlimit(RLIMIT_FSIZE, &none);
      const int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
      return write(fd, "x", 1) < 0 ? 0 : 1;
    }));
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "^$");
}

TEST(PrintNow, SaysWhenItCannot) {
  const auto run = [](void (*redirect)()) {
    redirect();
    std::fprintf(stderr, "%s", std::string(PrintNow("line\n").message()).c_str());
    std::_Exit(0);
  };
  signal(SIGPIPE, SIG_IGN);
  EXPECT_EXIT(run(ToNull), testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(run(ToFullDevice), testing::ExitedWithCode(0), "^writing to standard output: No space left on device$");
  EXPECT_EXIT(run(ToPipeWithoutReader), testing::ExitedWithCode(0), "^writing to standard output: Broken pipe$");
}

}  // namespace
}  // namespace rml
