// rml-random-graphs: see --help and docs/testing.md.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/graph/graph_file.h"
#include "tests/engine/random/case_file.h"
#include "tests/engine/random/checked_child.h"
#include "tests/engine/random/generate.h"
#include "tests/engine/random/report.h"

namespace rml {
namespace {

constexpr int kExitOk = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

constexpr char kDescription[] =
    "rml-random-graphs makes random graphs and checks the engine on them.\n\n"
    "  rml-random-graphs --seed 17                    check the graph of one seed; a failure is shrunk and written\n"
    "  rml-random-graphs --count 500                  check 500 seeds\n"
    "  rml-random-graphs --replay FILE.json           check a case that was written\n"
    "  rml-random-graphs --seed 17 --print            show the graph instead\n"
    "  rml-random-graphs --count 500 --coverage       say how often each op and option occurs instead\n"
    "  rml-random-graphs --count 100 --write DIR      write the cases, with each value as the references compute it\n";

constexpr char kFooter[] =
    "Each check runs in a process of its own, so that a crash counts as a failure.\n"
    "Environment: RML_ISA=portable|avx2|avx512 sets the kernels that all others are compared with.\n"
    "Exit codes: 0 fine, 1 something failed, 2 usage or a file that cannot be read or written.";

struct Options {
  uint64_t seed = 0;
  int64_t count = 1;
  std::string replay;
  std::string write_dir;
  std::string failures_dir;
  bool print = false;
  bool coverage = false;
};

void AddOptions(CLI::App& app, Options& options) {
  app.add_option("--seed", options.seed, "The first seed")->capture_default_str()->type_name("N");
  app.add_option("--count", options.count, "How many seeds")
      ->check(CLI::Range(int64_t{1}, int64_t{100'000'000}))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--replay", options.replay, "A case instead of seeds")->type_name("FILE.json");
  app.add_option("--failures", options.failures_dir, "Where small cases go; default: a folder for temporary files")
      ->type_name("DIR");
  auto* write = app.add_option("--write", options.write_dir, "Write the cases and their values here; check nothing")
                    ->type_name("DIR");
  auto* print = app.add_flag("--print", options.print, "Print the graphs; check nothing")->excludes(write);
  app.add_flag("--coverage", options.coverage, "Print how often each op, dtype and option occurs; check nothing")
      ->excludes(write)
      ->excludes(print);
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "rml-random-graphs: %s\n", std::string(status.message()).c_str());
  return kExitUsage;
}

class Command {
 public:
  explicit Command(const Options& options) : options_(options) {
    const std::string temporary = std::filesystem::temp_directory_path() / "rml-random-graphs";
    scratch_dir_ = absl::StrCat(temporary, "/", getpid());
    if (options_.failures_dir.empty()) options_.failures_dir = temporary + "/failures";
    std::filesystem::create_directories(scratch_dir_);
  }
  ~Command() { std::filesystem::remove_all(scratch_dir_); }

  int Run() {
    if (!options_.replay.empty()) {
      const absl::StatusOr<RandomCase> read = ReadCase(options_.replay);
      if (!read.ok()) return Fail(read.status());
      return Handle(*read, std::filesystem::path(options_.replay).stem());
    }
    CaseStream stream(options_.seed);
    int exit_code = kExitOk;
    for (int64_t i = 0; i < options_.count; ++i) {
      const RandomCase made = stream.Next();
      if (options_.coverage) continue;
      const int code = Handle(made, absl::StrFormat("seed_%d", made.seed));
      if (code == kExitUsage) return code;
      exit_code = std::max(exit_code, code);
    }
    if (options_.coverage) std::printf("%s", stream.coverage().Table().c_str());
    if (Checks()) std::printf("%d graphs checked, %d failed\n", checked_, failed_);
    return exit_code;
  }

 private:
  bool Checks() const { return options_.write_dir.empty() && !options_.print && !options_.coverage; }

  int Handle(const RandomCase& random_case, const std::string& name) {
    if (options_.print) {
      std::printf("seed %llu\n%s\n", static_cast<unsigned long long>(random_case.seed),
                  PrintGraph(random_case.graph).c_str());
      return kExitOk;
    }
    if (!options_.write_dir.empty()) {
      absl::Status status = WriteCase(random_case, options_.write_dir, name);
      if (status.ok()) status = WriteValues(random_case, options_.write_dir, name);
      return status.ok() ? kExitOk : Fail(status);
    }
    const auto check = [this](const RandomCase& one) { return CheckInChild(one, {.scratch_dir = scratch_dir_}); };
    ++checked_;
    const auto failure = check(random_case);
    if (!failure) return kExitOk;
    ++failed_;
    std::printf("%s\n\n", ReportFailure(random_case, *failure, check, options_.failures_dir).c_str());
    std::fflush(stdout);
    return kExitFailed;
  }

  Options options_;
  std::string scratch_dir_;
  int checked_ = 0, failed_ = 0;
};

}  // namespace
}  // namespace rml

int main(int argc, char** argv) {
  CLI::App app(rml::kDescription, "rml-random-graphs");
  app.footer(rml::kFooter);
  rml::Options options;
  rml::AddOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? rml::kExitOk : rml::kExitUsage;
  }
  return rml::Command(options).Run();
}
