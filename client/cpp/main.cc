// rml: see --help and docs/tools.md.
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "client/cpp/commands.h"
#include "command_line/checks.h"
#include "command_line/parse.h"
#include "command_line/run_program.h"
#include "engine/exec/program.h"

namespace rml {

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "rml: %s\n", std::string(status.message()).c_str());
  return absl::IsUnavailable(status) ? kExitUnreachable : kExitFailed;
}

namespace {

constexpr char kDescription[] =
    "rml talks to rml-server and looks into exported models.\n\n"
    "  rml models                                                 what the server has\n"
    "  rml run mlp --random --seed 7 --batch 4                    run a model on made-up inputs\n"
    "  rml run mlp --inputs x.npz --output y.safetensors          on your own\n"
    "  rml run mlp --check out/mlp.golden.safetensors             on the exporter's, compared with its outputs\n"
    "  rml profile mlp                                            where its time goes\n"
    "  rml inspect out/mlp.json                                   without a server: graph, passes, steps, memory\n"
    "  rml --server 10.0.0.5:8001 --json models                   another server, output for programs\n";

constexpr char kFooter[] = "Exit codes: 0 fine, 1 failed or not equal, 2 usage, 3 the server cannot be reached.";

constexpr char kRunFooter[] =
    "An inputs file holds tensors under the names of the model's inputs, or input.0, input.1, ... in the model's "
    "order.\n"
    ".npz files may hold float32, int32, and int64 that fits in 32 bits; any other file is read as safetensors.\n"
    "Example: rml run mlp --inputs x.npz --output y.safetensors --check expected.safetensors";

struct CommandLine {
  std::string server = "localhost:8001";
  double timeout_seconds = 60;
  bool json = false;
  RunOptions run;
  ProfileOptions profile;
  InspectOptions inspect;
  bool no_fusion = false;
};

const CLI::Validator kRows = WholeNumber(1, int64_t{1} << 40);
const CLI::Validator kThreads = WholeNumber(1, 1024);
const CLI::Validator kVersions = WholeNumber(1, int64_t{1} << 62);

void AddRun(CLI::App& app, RunOptions& options) {
  CLI::App* run = app.add_subcommand("run", "Run a model once");
  run->footer(kRunFooter);
  run->add_option("model", options.model, "Name of the model")->required()->check(NotEmpty())->type_name("MODEL");
  run->add_option("--model-version", options.version, "Default: the highest that is ready")
      ->check(kVersions)
      ->type_name("N");
  auto* inputs = run->add_option("--inputs", options.inputs, "File of inputs; default: the inputs of the --check file")
                     ->check(NotEmpty())
                     ->type_name("FILE");
  auto* random =
      run->add_flag("--random", options.random, "Make up inputs: f32 uniform in [-1, 1), i32 0 or 1")->excludes(inputs);
  run->add_option("--seed", options.seed, "Of --random; the same seed gives the same inputs")
      ->needs(random)
      ->check(WholeNumber(0, UINT32_MAX))
      ->type_name("N")
      ->capture_default_str();
  run->add_option("--batch", options.batch, "Rows of --random; default: the fewest the model takes")
      ->needs(random)
      ->check(kRows)
      ->type_name("N");
  run->add_option("--output", options.output, "Write output.0, output.1, ... here")
      ->check(NotEmpty())
      ->type_name("FILE.safetensors");
  run->add_option("--check", options.check,
                  "Compare with output.0, ... of this file, within its atol + rtol * max|output|")
      ->check(NotEmpty())
      ->type_name("FILE.safetensors");
  run->final_callback([&options] {
    if (!options.random && options.inputs.empty() && options.check.empty()) {
      throw CLI::ValidationError("run", "nothing to run on: give --inputs FILE, --random or --check FILE");
    }
  });
}

void AddProfile(CLI::App& app, ProfileOptions& options) {
  CLI::App* profile = app.add_subcommand("profile", "Say where a model's time goes, as the server runs it");
  profile->footer("Example: rml profile mlp --batch 8 --iterations 100 --threads 2");
  profile->add_option("model", options.model, "Name of the model")->required()->check(NotEmpty())->type_name("MODEL");
  profile->add_option("--model-version", options.version, "Default: the highest that is ready")
      ->check(kVersions)
      ->type_name("N");
  auto* inputs =
      profile
          ->add_option("--inputs", options.inputs, "File of inputs as in run; default: the golden file's, else zeros")
          ->check(NotEmpty())
          ->type_name("FILE");
  profile->add_option("--batch", options.batch, "Run on so many rows of zeros")
      ->check(kRows)
      ->type_name("N")
      ->excludes(inputs);
  profile->add_option("--iterations", options.iterations, "Runs to average; default 10")
      ->check(WholeNumber(1, 10000))
      ->type_name("N");
  profile->add_option("--threads", options.threads, "Threads a run may use; default: as the model is served")
      ->check(kThreads)
      ->type_name("N");
}

void AddInspect(CLI::App& app, CommandLine& line) {
  InspectOptions& options = line.inspect;
  CLI::App* inspect =
      app.add_subcommand("inspect", "Show a graph file, without a server: graph, passes, steps, memory");
  inspect->footer(
      "Passes list what matched (+), and where one did not, why (-).\nExample: rml inspect out/mlp.json --batch 8");
  inspect->add_option("file", options.file, "Graph file")->required()->check(NotEmpty())->type_name("FILE.json");
  inspect->add_option("--batch", options.batch, "Rows the steps are shown for; default: the fewest")
      ->check(kRows)
      ->type_name("N");
  inspect->add_option("--threads", options.threads, "Threads a run may use")
      ->check(kThreads)
      ->type_name("N")
      ->capture_default_str();
  inspect->add_flag("--no-fusion", line.no_fusion, "Switch all passes off");
  inspect->add_option("--disable-pass", options.disabled_passes, "Switch one pass off; may be repeated")
      ->check(CLI::IsMember(Program::PassNames()))
      ->allow_extra_args(false)
      ->type_name("NAME");
}

int WithServer(const CommandLine& line, const std::function<int(Client&)>& command) {
  const auto timeout =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(line.timeout_seconds));
  const absl::StatusOr<std::unique_ptr<Client>> client = Client::Connect(line.server, {.timeout = timeout});
  if (!client.ok()) {
    Fail(client.status());
    return kExitUsage;
  }
  return command(**client);
}

int Dispatch(const CLI::App& app, const CommandLine& line) {
  const std::string command = app.get_subcommands().front()->get_name();
  if (command == "inspect") return InspectCommand(line.inspect, line.json);
  return WithServer(line, [&](Client& client) {
    if (command == "run") return RunCommand(client, line.run, line.json);
    if (command == "profile") return ProfileCommand(client, line.profile, line.json);
    return ModelsCommand(client, line.json);
  });
}

int Main(int argc, char** argv) {
  CommandLine line;
  CLI::App app(kDescription, "rml");
  app.footer(kFooter);
  app.set_version_flag("--version", [] { return "rml " + Version(); });
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--server", line.server, "Address of rml-server; port 8001 where it names none")
      ->envname("RML_SERVER")
      ->type_name("HOST[:PORT]")
      ->capture_default_str();
  app.add_option("--timeout", line.timeout_seconds, "Seconds that the server may take for each request")
      ->check(Number(0.001, 1e9))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_flag("--json", line.json, "JSON instead of tables");
  AddRun(app, line.run);
  AddProfile(app, line.profile);
  app.add_subcommand("models", "List the server's models and their state");
  AddInspect(app, line);
  if (const std::optional<int> exit_code = Parse(app, argc, argv)) return *exit_code;
  line.inspect.fuse = !line.no_fusion;
  return Dispatch(app, line);
}

}  // namespace
}  // namespace rml

int main(int argc, char** argv) {
  return rml::RunProgram("rml", rml::kExitFailed, [&] { return rml::Main(argc, argv); });
}
