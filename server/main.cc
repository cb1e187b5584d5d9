// rml-server: see --help, docs/serving.md and docs/operations.md.
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>

#include "command_line/run_program.h"
#include "engine/kernels/dispatch.h"
#include "server/options/build_info.h"
#include "server/options/log.h"
#include "server/options/options.h"
#include "server/process/server_process.h"

namespace {

// A 600 KiB message is otherwise mapped, faulted in and unmapped anew for each request: 1048 us of CPU instead of 366.
void TuneMalloc() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

sigset_t EndSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// The signals that the server answers to, blocked in every thread and waited for by the first.
sigset_t BlockSignals() {
  signal(SIGHUP, SIG_DFL);  // nohup has it ignored, and what is ignored cannot be waited for
  sigset_t signals = EndSignals();
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

int WaitForSignal(const sigset_t& signals) {
  int number = 0;
  while (sigwait(&signals, &number) != 0) {
  }
  return number;
}

// Until the next of them, or for so long.
void WaitForSignal(const sigset_t& signals, std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  for (; time.count() > 0; time = end - std::chrono::steady_clock::now()) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const timespec timeout{seconds.count(), (time - seconds).count()};
    if (sigtimedwait(&signals, nullptr, &timeout) > 0 || errno != EINTR)
      return;  // EINTR: the process was stopped and goes on
  }
}

int Serve(const rml::ServerOptions& options, const sigset_t& signals) {
  rml::ServerProcess server(options);
  if (const absl::Status status = server.Start(); !status.ok()) {
    spdlog::error("{}", std::string(status.message()));
    return absl::IsInvalidArgument(status) ? rml::kExitUsage : rml::kExitCannotStart;
  }
  std::atomic<bool> stop{false};
  std::thread loader([&] {
    server.LoadAll(stop);
    server.KeepUpToDate(stop);
  });
  int number = WaitForSignal(signals);
  for (; number == SIGHUP; number = WaitForSignal(signals)) {
    spdlog::info("SIGHUP: looking for changed models");
    server.Reread();
  }
  spdlog::info("SIG{}: draining, {} s as lame duck", sigabbrev_np(number), options.lame_duck_seconds);
  stop = true;
  server.StopServing();
  WaitForSignal(EndSignals(), std::chrono::duration_cast<std::chrono::nanoseconds>(
                                  std::chrono::duration<double>(options.lame_duck_seconds)));
  loader.join();  // what it does now has no more use, but it may be within a step that cannot be broken off
  server.Drain();
  spdlog::info("drained");
  return rml::kExitOk;
}

int Main(int argc, char** argv) {
  TuneMalloc();
  if (const absl::Status status = rml::SelectKernels(); !status.ok()) {
    std::fprintf(stderr, "rml-server: %s\n", std::string(status.message()).c_str());
    return rml::kExitUsage;
  }
  const rml::CommandLine command = rml::ParseCommandLine(argc, argv);
  if (!command.options) return command.exit_code;
  const sigset_t signals = BlockSignals();  // before any thread starts
  rml::SetUpLog(command.options->log_format, command.options->log_level);
  spdlog::info("{}", rml::VersionLine());
  return Serve(*command.options, signals);
}

}  // namespace

int main(int argc, char** argv) {
  return rml::RunProgram("rml-server", rml::kExitCannotStart, [&] { return Main(argc, argv); });
}
