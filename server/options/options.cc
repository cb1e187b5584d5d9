#include "server/options/options.h"

#include <iostream>

#include "command_line/checks.h"
#include "command_line/parse.h"
#include "engine/base/usable_cpus.h"
#include "engine/exec/program.h"
#include "server/config/limits.h"
#include "server/options/build_info.h"

namespace rml {
namespace {

constexpr char kDescription[] =
    "rml-server serves exported models over gRPC (rml.v1.Inference, grpc.health.v1, reflection).\n\n"
    "  rml-server --demo                              the bundled models\n"
    "  rml-server --model-repository models           models/<name>/<version>/model.json, the highest version\n"
    "  rml-server --model mlp=out/mlp                 one folder that holds model.json and model.safetensors\n\n"
    "When every model is loaded or has failed, one line on standard output says so:\n"
    "  rml-server ready grpc=127.0.0.1:8001 http=127.0.0.1:8002 models=3 failed=0\n"
    "The log goes to standard error. SIGTERM and SIGINT drain and exit 0; a second one ends the lame duck period.\n";

constexpr char kFooter[] =
    "Environment: RML_ISA=portable|avx2|avx512 forces an instruction set.\n"
    "Exit codes: 0 drained after a signal, 1 could not start (a port is taken, the repository cannot be read), 2 "
    "usage.";

void AddModels(CLI::App& app, ServerOptions& options) {
  const std::string group = "Models (one of the three)";
  auto* repository = app.add_option("--model-repository", options.model_repository, "Folder of models")
                         ->check(NotEmpty())
                         ->option_text("DIR")
                         ->group(group);
  auto* models = app.add_option("--model", options.models, "Serve the model in DIR as NAME, version 1; may be repeated")
                     ->option_text("NAME=DIR ...")
                     ->allow_extra_args(false)
                     ->group(group);
  auto* demo =
      app.add_flag("--demo", options.demo, "Serve the models that come with rml")->option_text(" ")->group(group);
  repository->excludes(models)->excludes(demo);
  models->excludes(demo);
}

void AddRepository(CLI::App& app, ServerOptions& options) {
  const std::string group = "Changes of models while the server runs (SIGHUP: look for them now)";
  const auto set_mode = [&options](const std::string& name) {
    for (RepositoryMode mode : {RepositoryMode::kStatic, RepositoryMode::kPoll, RepositoryMode::kExplicit}) {
      if (name == NameOf(mode)) options.repository_mode = mode;
    }
  };
  app.add_option_function<std::string>("--repository-mode", set_mode,
                                       "static: none; poll: as the folder changes; explicit: by rml.v1.Admin")
      ->check(CLI::IsMember({"static", "poll", "explicit"}))
      ->option_text("MODE (static)")
      ->group(group);
  const CLI::Validator seconds = Number(0.01, 86400);
  app.add_option("--poll-interval", options.poll_interval_seconds, "poll: look this often")
      ->check(seconds)
      ->option_text("SECONDS (1)")
      ->group(group);
  app.add_option("--settle", options.settle_seconds, "poll: take files once they have stayed as they are for so long")
      ->check(Number(0, 86400))
      ->option_text("SECONDS (1)")
      ->group(group);
  app.add_option("--load-model", options.load_models, "explicit: load this model at the start; may be repeated")
      ->option_text("NAME ...")
      ->allow_extra_args(false)
      ->group(group);
}

// The flag that the mode has no use for, and the mode that has.
std::optional<std::string> WrongMode(const CLI::App& app, RepositoryMode mode) {
  for (const auto& [flag, needs] :
       {std::pair("--poll-interval", RepositoryMode::kPoll), std::pair("--settle", RepositoryMode::kPoll),
        std::pair("--load-model", RepositoryMode::kExplicit)}) {
    if (app.count(flag) > 0 && mode != needs) {
      return std::string(flag) + " is for --repository-mode " + NameOf(needs) + "; it is " + NameOf(mode);
    }
  }
  return std::nullopt;
}

void AddNetwork(CLI::App& app, ServerOptions& options) {
  const std::string group = "Network";
  const CLI::Validator ports = WholeNumber(0, 65535);
  app.add_option("--host", options.host, "Address to listen on; 0.0.0.0 for all of IPv4, :: for all of IPv4 and IPv6")
      ->check(NotEmpty())
      ->option_text("ADDRESS (127.0.0.1)")
      ->group(group);
  app.add_option("--port", options.port, "gRPC port; 0: any free one")
      ->check(ports)
      ->option_text("PORT (8001)")
      ->group(group);
  app.add_option("--http-port", options.http_port, "Port of /metrics, /livez and /readyz; 0: any free one")
      ->check(ports)
      ->option_text("PORT (8002)")
      ->group(group);
  app.add_option("--port-file", options.port_file, "Write {\"grpc\": PORT, \"http\": PORT} here once ready")
      ->check(NotEmpty())
      ->option_text("FILE")
      ->group(group);
  app.add_option("--max-message-mib", options.max_message_mib, "Largest request message")
      ->check(WholeNumber(1, 2047))
      ->option_text("MIB (64)")
      ->group(group);
}

void AddExecution(CLI::App& app, ServerOptions& options) {
  const std::string group = "Execution (a model's config.textproto overrides the first four)";
  app.add_option("--instances", options.instances, "Requests of one model computed at the same time")
      ->check(WholeNumber(1, kMaxInstances))
      ->option_text("N (usable CPUs)")
      ->group(group);
  app.add_option("--threads", options.threads, "Threads that one request may use")
      ->check(WholeNumber(1, kMaxThreads))
      ->option_text("N (1)")
      ->group(group);
  app.add_option("--queue-limit", options.queue_limit,
                 "Requests of one model that may wait; more get RESOURCE_EXHAUSTED")
      ->check(WholeNumber(1, kMaxQueueLimit))
      ->option_text("N (256)")
      ->group(group);
  app.add_option("--default-timeout", options.default_timeout_seconds,
                 "Deadline of inference requests that come without one; 0: none")
      ->check(Number(0, kMaxTimeoutSeconds))
      ->option_text("SECONDS (60)")
      ->group(group);
  app.add_option("--memory-limit", options.memory_limit_mib,
                 "What all models together may hold; one that does not fit is refused with its bill")
      ->check(WholeNumber(1, int64_t{1} << 30))
      ->option_text("MIB (none)")
      ->group(group);
  app.add_option("--disable-pass", options.disabled_passes,
                 "Load models without this pass (GetModel lists them); may be repeated")
      ->option_text("NAME ...")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(Program::PassNames()))
      ->group(group);
}

void AddLifecycle(CLI::App& app, ServerOptions& options) {
  const std::string group = "Lifecycle and log";
  const CLI::Validator seconds = Number(0, 86400);
  app.add_option("--lame-duck", options.lame_duck_seconds, "After SIGTERM, go on serving this long as not ready")
      ->check(seconds)
      ->option_text("SECONDS (0)")
      ->group(group);
  app.add_option("--drain-timeout", options.drain_timeout_seconds, "Then wait this long for requests under way")
      ->check(seconds)
      ->option_text("SECONDS (30)")
      ->group(group);
  const auto set_format = [&options](const std::string& name) {
    options.log_format = name == "json" ? LogFormat::kJson : LogFormat::kText;
  };
  app.add_option_function<std::string>("--log-format", set_format, "text or json, one object a line")
      ->check(CLI::IsMember({"text", "json"}))
      ->option_text("text|json (text)")
      ->group(group);
  app.add_option("--log-level", options.log_level, "debug, info, warning or error")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
      ->option_text("LEVEL (info)")
      ->group(group);
}

}  // namespace

CommandLine ParseCommandLine(int argc, const char* const* argv) {
  ServerOptions options;
  CLI::App app(kDescription, "rml-server");
  app.footer(kFooter);
  app.set_version_flag("--version", VersionLine);
  app.get_formatter()->column_width(34);
  AddModels(app, options);
  AddRepository(app, options);
  AddNetwork(app, options);
  AddExecution(app, options);
  AddLifecycle(app, options);
  if (const std::optional<int> exit_code = Parse(app, argc, argv)) return {std::nullopt, *exit_code};
  if (options.model_repository.empty() && options.models.empty() && !options.demo) {
    std::cerr << "rml-server: no models named; expected --model-repository DIR, --model NAME=DIR or --demo. "
                 "`rml-server --help` tells more.\n";
    return {std::nullopt, kExitUsage};
  }
  if (const std::optional<std::string> wrong = WrongMode(app, options.repository_mode)) {
    std::cerr << "rml-server: " << *wrong << ". `rml-server --help` tells more.\n";
    return {std::nullopt, kExitUsage};
  }
  // As a URL has it, so that a port can follow.
  if (options.host.find(':') != std::string::npos && options.host[0] != '[') options.host = "[" + options.host + "]";
  if (options.instances == 0) options.instances = UsableCpus();
  return {std::move(options), kExitOk};
}

}  // namespace rml
