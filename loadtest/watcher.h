// Looks on while a step runs: samples the server's process, and keeps one line on a terminal up to date.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "loadtest/recorder.h"
#include "loadtest/report.h"
#include "loadtest/server_process.h"

namespace rml {

struct WatcherOptions {
  std::optional<int> server_pid{};
  std::FILE* terminal = nullptr;  // where the line goes; null: nowhere
  std::string label{};            // before the line: "closed loop, 8 workers"
  double total_seconds = 0;       // of the step, for the share that is done
};

// Starts with construction. Not thread-safe; `recorder` outlives it.
class Watcher {
 public:
  Watcher(const Recorder& recorder, WatcherOptions options);
  ~Watcher() { Stop(); }

  // Ends the watch and wipes the line; what the server used, if it was there all the time.
  std::optional<ServerUsage> Stop();

 private:
  void Watch();
  void Sample();
  void ShowLine() const;
  bool WaitForEnd();  // true once Stop() was called, false at the next sample's time

  const Recorder& recorder_;
  const WatcherOptions options_;
  const LoadTime start_;
  std::optional<ProcessUsage> first_;
  std::optional<ServerUsage> usage_;
  absl::Mutex mutex_;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace rml
