#include "loadtest/options.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "command_line/checks.h"
#include "command_line/parse.h"

namespace rml {
namespace {

constexpr char kDescription[] =
    "rml-loadtest loads a server, checks every answer, and says whether its own figures may be believed.\n\n"
    "  rml-loadtest --model mlp=models/mlp/1/golden.safetensors --workers 8\n"
    "                                closed loop: 8 callers, each sends its next request when it has its answer\n"
    "  rml-loadtest --model mlp=models/mlp/1/golden.safetensors --rate 500\n"
    "                                open loop: 500 requests a second at random times, as independent users send them\n"
    "  rml-loadtest --model mlp=... --rate 100 --ramp-to 1000 --steps 10\n"
    "                                ten open loops, one after the other\n"
    "  rml-loadtest --model mlp=... --rate 100 --search-p99-ms 50 --html report.html\n"
    "                                the highest rate at which 99 % of answers come within 50 ms; a page with plots\n"
    "  rml-loadtest --server localhost:9001 --open-inference --model mlp=... --workers 8\n"
    "                                another server, by the Open Inference Protocol\n"
    "  rml-loadtest --model mlp:3=... --model cnn:1=... --rate 200 --json\n"
    "                                three requests of four to mlp, one to cnn; one line of JSON\n\n"
    "A closed loop tells how much the server can do; it waits when the server does, so it hides what users would have\n"
    "waited. An open loop tells what they wait: every latency counts from the time the request was to be sent.\n"
    "The golden file's inputs are the request, and its outputs, within its tolerance, the only right answer.\n";

constexpr char kFooter[] =
    "INVALID is a run with wrong answers, errors, a server that stalled, requests sent late or left out, or too few\n"
    "samples for a p99. Only figures of VALID runs are worth comparing.\n"
    "Every run ends by itself, after at most warm-up, duration and timeout (of each step).\n"
    "Exit codes: 0 VALID, 1 INVALID, also if the server cannot be reached, 2 usage or a file that cannot be read.";

// "NAME=FILE" or "NAME:WEIGHT=FILE".
std::string ParseModel(const std::string& text, ReportModel& model) {
  constexpr char kExpected[] =
      "'%s'; expected NAME=GOLDEN or NAME:WEIGHT=GOLDEN, as mlp:2=models/mlp/1/golden.safetensors";
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) return absl::StrFormat(kExpected, text);
  model.golden = text.substr(equals + 1);
  model.name = text.substr(0, equals);
  if (const size_t colon = model.name.find(':'); colon != std::string::npos) {
    if (!absl::SimpleAtod(model.name.substr(colon + 1), &model.weight) || !(model.weight > 0 && model.weight <= 1e6)) {
      return absl::StrFormat("'%s'; expected a weight above 0, at most 1e6, after the colon", text);
    }
    model.name.resize(colon);
  }
  return model.name.empty() ? absl::StrFormat(kExpected, text) : "";
}

void AddTarget(CLI::App& app, LoadTestOptions& options) {
  app.add_option("--server", options.server, "Address; port 8001 where it names none")
      ->envname("RML_SERVER")
      ->type_name("HOST[:PORT]")
      ->capture_default_str();
  app.add_option_function<std::vector<std::string>>(
         "--model",
         [&options](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             options.models.emplace_back();
             const std::string error = ParseModel(text, options.models.back());
             if (!error.empty()) throw CLI::ValidationError("--model", error);
           }
         },
         "Model and golden file; may be repeated, with shares of the requests: mlp:3=FILE")
      ->required()
      ->allow_extra_args(false)
      ->type_name("NAME[:WEIGHT]=GOLDEN");
  app.add_flag("--open-inference", options.open_inference,
               "Speak the Open Inference Protocol v2, as Triton and others do, not rml.v1; it tells no phases");
  app.add_option("--connections", options.connections, "Connections that requests take in turn")
      ->check(WholeNumber(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--allow-remote", options.allow_remote, "Also load other machines than this one");
  app.add_option("--server-pid", options.server_pid,
                 "Process whose CPU and memory are reported; default: whoever listens on the port, on this machine")
      ->check(WholeNumber(1, 1 << 22))
      ->type_name("PID");
}

void AddLoad(CLI::App& app, LoadTestOptions& options) {
  auto* workers = app.add_option("--workers", options.workers, "Closed loop of so many callers")
                      ->check(WholeNumber(1, 100'000))
                      ->type_name("N");
  auto* rate = app.add_option("--rate", options.rate, "Open loop of so many requests a second, Poisson arrivals")
                   ->check(Number(0.001, 1e7))
                   ->type_name("RATE")
                   ->excludes(workers);
  app.final_callback([&options] {
    if (options.workers == 0 && options.rate == 0) {
      throw CLI::ValidationError("rml-loadtest", "no load: give --workers N or --rate RATE");
    }
  });
  auto* ramp = app.add_option("--ramp-to", options.ramp_to, "Steps from --rate to this rate")
                   ->needs(rate)
                   ->check(Number(0.001, 1e7))
                   ->type_name("RATE");
  app.add_option("--steps", options.steps, "Of the ramp, each as long as --duration")
      ->needs(ramp)
      ->check(WholeNumber(2, 1000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option_function<double>(
         "--search-p99-ms", [&options](const double& bound_ms) { options.search_p99_seconds = bound_ms * 1e-3; },
         "Search for the highest rate with p99 within this bound, from --rate on")
      ->needs(rate)
      ->excludes(ramp)
      ->check(Number(0.001, 1e6))
      ->type_name("MS");
  app.add_option("--seed", options.seed, "Of arrivals and mix: the same seed sends the same")
      ->check(WholeNumber(0, INT64_MAX))
      ->type_name("N")
      ->capture_default_str();
}

void AddTimes(CLI::App& app, LoadTestOptions& options) {
  app.add_option("--warm-up", options.warm_up_seconds, "Checked, but not measured")
      ->check(Number(0, 3600))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--duration", options.duration_seconds, "Measured, for each step")
      ->check(Number(0.001, 86'400))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--requests", options.max_requests, "Send at most so many, for each step; default: any number")
      ->check(WholeNumber(1, INT64_MAX))
      ->type_name("N");
  app.add_option("--timeout", options.timeout_seconds, "Of a request; it then counts as failed")
      ->check(Number(0.001, 3600))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--max-in-flight", options.max_in_flight, "Requests that an open loop may be waiting for")
      ->check(WholeNumber(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
}

void AddVerdict(CLI::App& app, CommandLine& line) {
  VerdictLimits& limits = line.options.limits;
  app.add_option("--min-samples", limits.min_samples, "INVALID with fewer; 662 is what a p99 takes")
      ->check(WholeNumber(0, INT64_MAX))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--max-errors", limits.max_errors, "INVALID with more failed requests; wrong answers always are")
      ->check(WholeNumber(0, INT64_MAX))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--max-lateness", limits.max_lateness,
                 "INVALID if requests are sent later than this share of the latency, at p50 or p99")
      ->check(Number(0, 1e9))
      ->type_name("SHARE")
      ->capture_default_str();
  app.add_option("--max-silence", limits.max_silence_seconds,
                 "INVALID if no answer comes for longer (and 5 times the median latency) with requests in flight")
      ->check(Number(0, 1e9))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_flag("--json", line.json, "One line of JSON instead of tables; latencies in milliseconds");
  app.add_option("--html", line.html, "Also write a page with plots")->check(NotEmpty())->type_name("FILE.html");
}

}  // namespace

std::optional<int> ParseCommandLine(int argc, const char* const* argv, CommandLine& line) {
  CLI::App app(kDescription, "rml-loadtest");
  app.footer(kFooter);
  app.set_version_flag("--version", [] { return "rml-loadtest " + Version(); });
  AddTarget(app, line.options);
  AddLoad(app, line.options);
  AddTimes(app, line.options);
  AddVerdict(app, line);
  return Parse(app, argc, argv);
}

}  // namespace rml
