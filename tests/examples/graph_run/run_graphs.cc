// run_graphs LIST: runs many models in one process, for tests that are written in Python. Each line of LIST is
// "MODEL.json<tab>INPUTS.safetensors<tab>OUTPUTS.safetensors", the last being written. Prints one line for each: "ok",
// or what went wrong. Exit code 2 if LIST cannot be read, else 0.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "command_line/run_program.h"
#include "engine/kernels/dispatch.h"
#include "examples/graph_run/graph_run.h"

namespace {

constexpr int kExitUsage = 2;

std::string RunLine(const std::string& line) {
  const std::vector<std::string> fields = absl::StrSplit(line, '\t');
  if (fields.size() != 3) return "expected three fields between tabs, got: " + line;
  const auto result = rml::RunGraph({.model = fields[0], .inputs = fields[1], .output = fields[2]});
  return result.ok() ? "ok" : absl::StrReplaceAll(result.status().message(), {{"\n", " "}});
}

int Main(int argc, char** argv) {
  std::ifstream list(argc == 2 ? argv[1] : "");
  if (!list) {
    std::fprintf(stderr, "usage: run_graphs LIST; see the top of run_graphs.cc\n");
    return kExitUsage;
  }
  if (const absl::Status status = rml::SelectKernels(); !status.ok()) {
    std::fprintf(stderr, "run_graphs: %s\n", std::string(status.message()).c_str());
    return kExitUsage;
  }
  for (std::string line; std::getline(list, line);) std::puts(RunLine(line).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return rml::RunProgram("run_graphs", kExitUsage, [&] { return Main(argc, argv); });
}
