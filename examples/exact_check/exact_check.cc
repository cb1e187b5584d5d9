#include "examples/exact_check/exact_check.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "command_line/parse.h"
#include "engine/base/status_macros.h"
#include "engine/exec/executor.h"
#include "engine/kernels/dispatch.h"

namespace rml {
namespace {

std::vector<std::filesystem::path> FindExports(const std::string& folder, const std::string& suffix) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;  // a folder that is not there holds no exports
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (absl::EndsWith(entry.path().filename().string(), suffix + ".json")) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

absl::StatusOr<ExactRun> RunExport(const std::filesystem::path& path, bool fuse, const ExactModel& model) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program, Program::Load(path.string(), {.fuse = fuse}));
  ASSIGN_OR_RETURN(const std::unique_ptr<Executor> executor, Executor::Create(program));
  std::vector<Tensor> outputs;
  RETURN_IF_ERROR(executor->Run({{DType::kF32, model.input_shape, model.input.data()}}, outputs));
  if (outputs.size() != 1 || outputs[0].dtype() != DType::kF32 ||
      outputs[0].num_elements() != static_cast<int64_t>(model.expected.size())) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: expected one f32 output of %d elements", path.string(), model.expected.size()));
  }
  ASSIGN_OR_RETURN(const std::vector<StepInfo> steps, executor->step_info());
  ExactRun run{
      .name = path.stem().string(), .fused = fuse, .nodes = program->graph().nodes.size(), .steps = steps.size()};
  for (size_t i = 0; i < model.expected.size(); ++i) {
    const auto got = std::bit_cast<uint32_t>(outputs[0].data<float>()[i]);
    run.different += got != std::bit_cast<uint32_t>(model.expected[i]) ? 1 : 0;
  }
  return run;
}

void PrintRow(const ExactRun& run, size_t elements) {
  std::printf("%-20s %-8s %5zu %5zu   %d of %zu\n", run.name.c_str(), run.fused ? "fused" : "unfused", run.nodes,
              run.steps, static_cast<int>(run.different), elements);
}

}  // namespace

float Dummy(int64_t i, int seed) {
  const int k = static_cast<int>((5 * i + 3 * seed) % 14);
  return static_cast<float>(k < 7 ? k - 7 : k - 6) / 8;
}

std::vector<float> Dummies(int64_t count, int seed) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(Dummy(i, seed));
  return values;
}

absl::StatusOr<std::vector<ExactRun>> RunExports(const std::string& folder, const ExactModel& model) {
  std::vector<ExactRun> runs;
  for (const std::filesystem::path& path : FindExports(folder, model.suffix)) {
    for (const bool fuse : {true, false}) {
      ASSIGN_OR_RETURN(ExactRun run, RunExport(path, fuse, model));
      runs.push_back(std::move(run));
    }
  }
  if (runs.empty()) {
    return absl::NotFoundError(absl::StrFormat("there is no export '*%s.json' in '%s'", model.suffix, folder));
  }
  return runs;
}

int ExactMain(int argc, char** argv, const char* description, std::string folder,
              const std::vector<ExactModel>& models) {
  const std::string name = std::filesystem::path(argv[0]).filename().string();
  CLI::App app(description, name);
  app.set_version_flag("--version", [&name] { return name + " " + Version(); });
  app.add_option("folder", folder, "Where the exports are")->capture_default_str();
  if (const std::optional<int> exit_code = Parse(app, argc, argv)) return *exit_code;
  auto fail = [&name](const absl::Status& status) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), std::string(status.message()).c_str());
    return 2;
  };
  if (const absl::Status status = SelectKernels(); !status.ok()) return fail(status);
  std::printf("%-20s %-8s %5s %5s   %s\n", "export", "", "nodes", "steps", "elements that differ");
  bool exact = true;
  for (const ExactModel& model : models) {
    const absl::StatusOr<std::vector<ExactRun>> runs = RunExports(folder, model);
    if (!runs.ok()) return fail(runs.status());
    for (const ExactRun& run : *runs) {
      PrintRow(run, model.expected.size());
      exact = exact && run.different == 0;
    }
  }
  std::puts(exact ? "every bit as expected" : "DIFFERENT");
  return exact ? 0 : 1;
}

}  // namespace rml
