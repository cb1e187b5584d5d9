#include "loadtest/load_test.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cpp/address.h"
#include "client/cpp/text_table.h"
#include "engine/base/status_macros.h"
#include "loadtest/load_run.h"
#include "loadtest/rate_search.h"
#include "loadtest/target_address.h"
#include "loadtest/watcher.h"

namespace rml {
namespace {

constexpr int kIntervals = 100;  // of a step, for plots

std::chrono::nanoseconds Time(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

// Of this process.
double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string Host() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.starts_with("model name")) {
  }
  const size_t colon = line.find(": ");
  return absl::StrCat(colon == std::string::npos ? "unknown processor" : line.substr(colon + 2), ", ",
                      std::thread::hardware_concurrency(), " processors");
}

// Everything that lasts for all steps.
class LoadTest {
 public:
  explicit LoadTest(const LoadTestOptions& options) : options_(options) {}

  absl::Status Prepare() {
    ASSIGN_OR_RETURN(address_, WithPort(options_.server));
    if (!options_.allow_remote && !IsLoopback(address_)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s is not this machine; expected 127.0.0.1, [::1] or localhost, or --allow-remote if its owner agrees",
          address_));
    }
    transport_ = GrpcTransport(address_, options_.connections);
    protocol_ = options_.open_inference ? InferenceProtocol() : RmlProtocol();
    for (const ReportModel& model : options_.models) {
      RETURN_IF_ERROR(Annotate(AddModel(model), absl::StrFormat("model '%s'", model.name)));
    }
    pid_ = options_.server_pid > 0 ? options_.server_pid : FindListener(PortOf(address_));
    if (!IsLoopback(address_)) pid_ = std::nullopt;
    return absl::OkStatus();
  }

  StepReport RunStep(const LoadPlan& plan) {
    StepReport step{.workers = plan.workers, .rate = plan.rate};
    std::vector<std::string> names;
    for (const LoadModel& model : models_) names.push_back(model.name);
    LoadClock& clock = LoadClock::System();
    const double cpu_before = CpuSeconds();
    const LoadTime start = clock.now();
    Recorder recorder(names, start, plan.warm_up,
                      std::max<std::chrono::nanoseconds>(plan.duration / kIntervals, Time(0.01)));
    Watcher watcher(recorder, {.server_pid = pid_,
                               .terminal = options_.terminal,
                               .label = LoadText(step),
                               .total_seconds = Seconds(plan.warm_up + plan.duration)});
    RunLoad(plan, models_, *protocol_, start, *transport_, clock, recorder);
    step.server = watcher.Stop();
    step.wall_seconds = Seconds(clock.now() - start);
    step.own_cpu_seconds = CpuSeconds() - cpu_before;
    step.stats = recorder.Stats();
    step.invalid = InvalidReasons(step.stats, options_.limits);
    return step;
  }

  // Of one step, but for workers and rate.
  LoadPlan Plan() const {
    return {.warm_up = Time(options_.warm_up_seconds),
            .duration = Time(options_.duration_seconds),
            .timeout = Time(options_.timeout_seconds),
            .max_requests = options_.max_requests,
            .max_in_flight = options_.max_in_flight,
            .seed = options_.seed};
  }

  const std::string& address() const { return address_; }
  std::string protocol() const { return protocol_->name(); }

 private:
  absl::Status AddModel(const ReportModel& model) {
    ASSIGN_OR_RETURN(Golden golden, ReadGolden(model.golden));
    const size_t describe = transport_->Prepare(protocol_->DescribeMethod(), protocol_->DescribeRequest(model.name));
    std::vector<std::string> names;
    RETURN_IF_ERROR(Annotate(CallAndWait(*transport_, describe, Time(options_.timeout_seconds),
                                         [&](ResponseBytes& response) -> absl::Status {
                                           ASSIGN_OR_RETURN(names, protocol_->InputNames(response));
                                           return absl::OkStatus();
                                         }),
                             address_));
    if (names.size() != golden.inputs.size()) {
      return absl::InvalidArgumentError(absl::StrFormat("the golden file has %d inputs; expected %d, as the model has",
                                                        golden.inputs.size(), names.size()));
    }
    const std::string request = protocol_->RunRequest(model.name, names, golden.inputs);
    checks_.push_back(std::make_unique<GoldenCheck>(std::move(golden)));
    models_.push_back({.name = model.name,
                       .weight = model.weight,
                       .request = transport_->Prepare(protocol_->RunMethod(), request),
                       .check = checks_.back().get()});
    return absl::OkStatus();
  }

  const LoadTestOptions options_;
  std::string address_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Protocol> protocol_;
  std::vector<std::unique_ptr<GoldenCheck>> checks_;
  std::vector<LoadModel> models_;
  std::optional<int> pid_;
};

std::vector<LoadPlan> Plans(const LoadTestOptions& options, const LoadPlan& base) {
  std::vector<LoadPlan> plans;
  const int steps = options.ramp_to > 0 ? options.steps : 1;
  for (int i = 0; i < steps; ++i) {
    plans.push_back(base);
    plans.back().workers = options.workers;
    plans.back().rate = steps == 1 ? options.rate : options.rate + (options.ramp_to - options.rate) * i / (steps - 1);
  }
  return plans;
}

// Why a rate is not borne; empty if it is.
std::string WhyNotBorne(const StepReport& step, double max_p99_seconds) {
  if (!step.invalid.empty()) return step.invalid.front();
  const double p99 = static_cast<double>(step.stats.latency.Percentile(99)) * 1e-9;
  return p99 <= max_p99_seconds ? "" : "p99 is " + FormatSeconds(p99);
}

// A rate that was not borne is tried once more: one hiccup of the machine should not decide.
void Search(const LoadTestOptions& options, LoadTest& test, LoadReport& report) {
  SearchReport result{.max_p99_seconds = options.search_p99_seconds};
  RateSearch search(options.rate);
  while (const std::optional<double> rate = search.Next()) {
    LoadPlan plan = test.Plan();
    plan.rate = *rate;
    plan.duration = std::max(plan.duration, Time(1.2 * static_cast<double>(options.limits.min_samples) / *rate));
    std::string why_not;
    for (int attempt = 0; attempt < 2; ++attempt, ++plan.seed) {
      report.steps.push_back(test.RunStep(plan));
      if (report.steps.back().stats.wrong > 0) {  // fast and false is no answer
        report.invalid.push_back(LoadText(report.steps.back()) + ": " + report.steps.back().invalid.front());
        return;
      }
      why_not = WhyNotBorne(report.steps.back(), options.search_p99_seconds);
      if (why_not.empty()) break;
    }
    search.Report(why_not.empty());
    if (!why_not.empty()) result.limit = absl::StrFormat("at %.4g/s %s", *rate, why_not);
  }
  result.best_rate = search.best();
  if (result.best_rate == 0) report.invalid.push_back("no rate was borne: " + result.limit);
  report.search = std::move(result);
}

void RunSteps(const LoadTestOptions& options, LoadTest& test, LoadReport& report) {
  for (const LoadPlan& plan : Plans(options, test.Plan())) {
    report.steps.push_back(test.RunStep(plan));
    for (const std::string& reason : report.steps.back().invalid) {
      report.invalid.push_back(options.ramp_to > 0 ? LoadText(report.steps.back()) + ": " + reason : reason);
    }
  }
}

}  // namespace

absl::StatusOr<LoadReport> RunLoadTest(const LoadTestOptions& options) {
  LoadTest test(options);
  RETURN_IF_ERROR(test.Prepare());
  LoadReport report{.server = test.address(),
                    .protocol = test.protocol(),
                    .host = Host(),
                    .models = options.models,
                    .seed = options.seed,
                    .warm_up_seconds = options.warm_up_seconds,
                    .duration_seconds = options.duration_seconds};
  options.search_p99_seconds > 0 ? Search(options, test, report) : RunSteps(options, test, report);
  return report;
}

}  // namespace rml
