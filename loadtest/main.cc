// rml-loadtest: see --help and docs/loadtest.md.
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>

#include "absl/strings/str_join.h"
#include "command_line/parse.h"
#include "command_line/run_program.h"
#include "engine/graph/atomic_file.h"
#include "loadtest/load_test.h"
#include "loadtest/options.h"

namespace rml {
namespace {

constexpr int kExitValid = 0;
constexpr int kExitInvalid = 1;

int Main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD,
          32 << 20);  // as rml-server: large messages are otherwise mapped and faulted in anew each time
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  CommandLine line;
  if (const std::optional<int> exit_code = ParseCommandLine(argc, argv, line)) return *exit_code;
  if (isatty(STDERR_FILENO) == 1) line.options.terminal = stderr;
  absl::StatusOr<LoadReport> report = RunLoadTest(line.options);
  if (!report.ok()) {
    std::fprintf(stderr, "rml-loadtest: %s\n", std::string(report.status().message()).c_str());
    return absl::IsInvalidArgument(report.status()) ? kExitAfterUsageError : kExitInvalid;
  }
  report->command = absl::StrJoin(argv, argv + argc, " ");
  std::fputs((line.json ? ReportJson(*report) + "\n" : ReportText(*report)).c_str(), stdout);
  if (!line.html.empty()) {
    if (const absl::Status status = WriteFileAtomically(line.html, ReportHtml(*report)); !status.ok()) {
      std::fprintf(stderr, "rml-loadtest: %s\n", std::string(status.message()).c_str());
      return kExitAfterUsageError;
    }
  }
  return report->valid() ? kExitValid : kExitInvalid;
}

}  // namespace
}  // namespace rml

int main(int argc, char** argv) {
  return rml::RunProgram("rml-loadtest", rml::kExitInvalid, [&] { return rml::Main(argc, argv); });
}
