#include "loadtest/watcher.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/cpp/text_table.h"

namespace rml {
namespace {

constexpr absl::Duration kBetweenSamples = absl::Milliseconds(200);

std::string Time(int64_t ns) { return FormatSeconds(static_cast<double>(ns) * 1e-9); }

}  // namespace

Watcher::Watcher(const Recorder& recorder, WatcherOptions options)
    : recorder_(recorder), options_(std::move(options)), start_(LoadClock::System().now()) {
  if (options_.server_pid) {
    const absl::StatusOr<ProcessUsage> usage = ReadProcessUsage(*options_.server_pid);
    if (usage.ok()) {
      first_ = *usage;
      usage_ = ServerUsage{.pid = *options_.server_pid, .rss_start_bytes = usage->rss_bytes};
    }
  }
  thread_ = std::thread([this] { Watch(); });
}

std::optional<ServerUsage> Watcher::Stop() {
  if (!thread_.joinable()) return usage_;
  {
    const absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  thread_.join();
  Sample();
  if (options_.terminal != nullptr) std::fputs("\r\033[K", options_.terminal);
  return usage_;
}

bool Watcher::WaitForEnd() {
  const absl::MutexLock lock(&mutex_);
  return mutex_.AwaitWithTimeout(absl::Condition(&stop_), kBetweenSamples);
}

void Watcher::Watch() {
  while (!WaitForEnd()) {
    Sample();
    if (options_.terminal != nullptr) ShowLine();
  }
}

void Watcher::Sample() {
  if (!usage_ || !first_) return;
  const absl::StatusOr<ProcessUsage> now = ReadProcessUsage(usage_->pid);
  if (!now.ok()) {
    usage_.reset();
    return;
  }
  usage_->cpu_seconds = now->cpu_seconds - first_->cpu_seconds;
  usage_->rss_end_bytes = now->rss_bytes;
  usage_->rss_peak_bytes = std::max({usage_->rss_peak_bytes, usage_->rss_start_bytes, now->rss_bytes});
  usage_->threads = now->threads;
}

void Watcher::ShowLine() const {
  const RunStats stats = recorder_.Stats();
  const double seconds = Seconds(LoadClock::System().now() - start_);
  const double share = std::min(1.0, seconds / options_.total_seconds);
  const std::string line = absl::StrFormat(
      "%s  %3.0f %%  %.1f s  %d answers, %.0f/s  p50 %s  p99 %s  %d in flight  %d failed", options_.label, share * 100,
      seconds, stats.latency.count(), stats.rate(), Time(stats.latency.Percentile(50)),
      Time(stats.latency.Percentile(99)), recorder_.in_flight(), stats.num_errors() + stats.wrong);
  std::fprintf(options_.terminal, "\r%s\033[K", line.c_str());
  std::fflush(options_.terminal);
}

}  // namespace rml
