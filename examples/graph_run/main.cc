// rml-graph-run: see --help and docs/tools.md.
#include <cstdio>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "command_line/checks.h"
#include "command_line/parse.h"
#include "command_line/run_program.h"
#include "engine/exec/program.h"
#include "engine/kernels/dispatch.h"
#include "examples/graph_run/graph_run.h"

namespace {

constexpr int kExitOk = 0;
constexpr int kExitCheckFailed = 1;
constexpr int kExitUsage = 2;

constexpr char kDescription[] =
    "rml-graph-run runs one exported model in this process and prints one line of JSON.\n\n"
    "  rml-graph-run out/mlp                              run out/mlp.json once on inputs of 0.5 (i32: 0)\n"
    "  rml-graph-run out/mlp --check                      compare with out/mlp.golden.safetensors\n"
    "  rml-graph-run out/mlp --batch 8 --bench 100        time 100 runs of 8 rows\n"
    "  rml-graph-run out/mlp --profile --threads 2        where the time goes, slowest first\n"
    "  rml-graph-run out/mlp --inputs x.safetensors --output y.safetensors\n"
    "                                                     read input.0, input.1, ...; write output.0, output.1, ...\n";

constexpr char kFooter[] =
    "Keys of the line, in this order: model, threads, batch, load_ms; max_abs_error when checked; iterations, "
    "mean_us,\n"
    "min_us, p10_us, median_us, p90_us (nearest rank) when timed; profile when asked for: rows of label, nodes, "
    "calls,\n"
    "seconds, share, gflops, gbytes, kernel, width, peak_share.\n"
    "Environment: RML_ISA=portable|avx2|avx512 forces an instruction set.\n"
    "Exit codes: 0 fine, 1 the check failed, 2 usage or a file that cannot be read, run or written.";

void AddOptions(CLI::App& app, rml::GraphRunOptions& options, bool& no_fusion) {
  const CLI::Validator count = rml::WholeNumber(0, 100'000'000);
  app.add_option("model", options.model, "Graph file, with or without .json")
      ->required()
      ->check(rml::NotEmpty())
      ->type_name("MODEL");
  app.add_option("--inputs", options.inputs, "Tensors input.0, input.1, ...; without: all 0.5, i32 all 0")
      ->check(rml::NotEmpty())
      ->type_name("FILE.safetensors");
  app.add_option("--batch", options.batch,
                 "Rows to run, where the model leaves them open; default: as the inputs have, else 1")
      ->check(rml::WholeNumber(1, int64_t{1} << 40))
      ->type_name("N");
  auto* check =
      app.add_flag("--check", options.check,
                   "Compare with output.0, ... of the inputs file, or else of the golden file beside the model");
  app.add_option("--tolerance", options.tolerance,
                 "Largest absolute error; default: atol + rtol * max|output| of the file")
      ->check(rml::Number(0, 1e30))
      ->type_name("X")
      ->needs(check);
  app.add_option("--output", options.output, "Write output.0, output.1, ... here")
      ->check(rml::NotEmpty())
      ->type_name("FILE.safetensors");
  app.add_option("--bench", options.bench, "Time so many runs")->check(count)->type_name("N");
  app.add_option("--warmup", options.warmup, "Runs before those")->check(count)->type_name("M")->capture_default_str();
  app.add_flag("--profile", options.profile, "Sum the time of --bench runs (10 without) by kind of step");
  app.add_option("--threads", options.threads, "Threads that a run may use")
      ->check(rml::WholeNumber(1, 1024))
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--no-fusion", no_fusion, "Switch all passes off");
  app.add_option("--disable-pass", options.disabled_passes, "Switch one pass off; may be repeated")
      ->check(CLI::IsMember(rml::Program::PassNames()))
      ->allow_extra_args(false)
      ->type_name("NAME");
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "rml-graph-run: %s\n", std::string(status.message()).c_str());
  return kExitUsage;
}

int Main(int argc, char** argv) {
  CLI::App app(kDescription, "rml-graph-run");
  app.footer(kFooter);
  app.set_version_flag("--version", [] { return "rml-graph-run " + rml::Version(); });
  rml::GraphRunOptions options;
  bool no_fusion = false;
  AddOptions(app, options, no_fusion);
  if (const std::optional<int> exit_code = rml::Parse(app, argc, argv)) return *exit_code;
  options.fuse = !no_fusion;
  if (const absl::Status status = rml::SelectKernels(); !status.ok()) return Fail(status);
  const absl::StatusOr<rml::GraphRunResult> result = rml::RunGraph(options);
  if (!result.ok()) return Fail(result.status());
  std::puts(rml::ToJson(*result).c_str());
  if (result->failed_check.empty()) return kExitOk;
  std::fprintf(stderr, "rml-graph-run: check failed: %s\n", result->failed_check.c_str());
  return kExitCheckFailed;
}

}  // namespace

int main(int argc, char** argv) {
  return rml::RunProgram("rml-graph-run", kExitUsage, [&] { return Main(argc, argv); });
}
