#include "server/metrics/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace rml {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

void Append(std::vector<MetricFamily>& families, const char* name, const char* help, MetricType type, double value) {
  MetricFamily family{name, help, type, {{}}};
  (type == MetricType::Counter ? family.metric[0].counter.value : family.metric[0].gauge.value) = value;
  families.push_back(std::move(family));
}

// Seconds since the epoch at which the machine booted, or 0.
double BootTime() {
  std::ifstream file("/proc/stat");
  for (std::string key; file >> key;) {
    double seconds = 0;
    if (key == "btime" && file >> seconds) return seconds;
  }
  return 0;
}

// proc(5): the fields of /proc/self/stat after the command name, which may hold spaces and ends with the last ')'.
std::vector<double> StatFields() {
  std::ifstream file("/proc/self/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const size_t end = text.rfind(')');
  if (end == std::string::npos) return {};
  std::istringstream rest(text.substr(end + 1));
  std::string state;
  rest >> state;
  return {std::istream_iterator<double>(rest), {}};
}

}  // namespace

void AppendProcessMetrics(std::vector<MetricFamily>& families) {
  // Positions after the state, which is field 3 of proc(5): utime 14, stime 15, num_threads 20, starttime 22, vsize 23,
  // rss 24.
  const std::vector<double> fields = StatFields();
  const auto field = [&](size_t number) { return fields[number - 4]; };
  if (fields.size() > 20) {
    const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    Append(families, "process_cpu_seconds_total", "User and system CPU time.", MetricType::Counter,
           (field(14) + field(15)) / ticks);
    Append(families, "process_resident_memory_bytes", "Resident memory.", MetricType::Gauge,
           field(24) * static_cast<double>(sysconf(_SC_PAGESIZE)));
    Append(families, "process_virtual_memory_bytes", "Virtual memory.", MetricType::Gauge, field(23));
    Append(families, "process_threads", "Threads.", MetricType::Gauge, field(20));
    Append(families, "process_start_time_seconds", "Start, in seconds since the epoch.", MetricType::Gauge,
           BootTime() + field(22) / ticks);
  }
  std::error_code error;
  double open_fds = 0;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end; it.increment(error)) {
    ++open_fds;
  }
  if (!error) Append(families, "process_open_fds", "Open file descriptors.", MetricType::Gauge, open_fds);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    Append(families, "process_max_fds", "Limit of open file descriptors.", MetricType::Gauge,
           static_cast<double>(limit.rlim_cur));
  }
}

}  // namespace rml
