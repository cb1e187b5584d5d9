// What a load test found, and how it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loadtest/recorder.h"

namespace rml {

// What the server's process used while a step ran.
struct ServerUsage {
  int pid = 0;
  double cpu_seconds = 0;
  int64_t rss_start_bytes = 0, rss_peak_bytes = 0, rss_end_bytes = 0;
  int64_t threads = 0;
};

// One stretch of constant load.
struct StepReport {
  int workers = 0;  // closed loop
  double rate = 0;  // open loop, requests a second
  RunStats stats{};
  std::vector<std::string> invalid{};  // reasons; empty: VALID
  double wall_seconds = 0;
  double own_cpu_seconds = 0;  // of the load generator
  std::optional<ServerUsage> server{};
};

struct ReportModel {
  std::string name;
  double weight = 1;
  std::string golden;
};

// What a search for the highest rate found.
struct SearchReport {
  double max_p99_seconds = 0;  // the bound
  double best_rate = 0;        // the highest rate borne; 0 if none was
  std::string limit{};         // why the lowest rate beyond was not borne; empty if all were
};

struct LoadReport {
  std::string command{};  // as given
  std::string server;
  std::string protocol;
  std::string host;  // processor and number of them
  std::vector<ReportModel> models;
  uint64_t seed = 0;
  double warm_up_seconds = 0;
  double duration_seconds = 0;
  std::vector<StepReport> steps{};
  std::optional<SearchReport> search{};
  std::vector<std::string> invalid{};  // reasons for the whole test; empty: VALID

  bool valid() const { return invalid.empty(); }
};

// "closed loop, 8 workers" or "open loop, 500/s".
std::string LoadText(const StepReport& step);

std::string ReportText(const LoadReport& report);  // tables for people
std::string ReportJson(const LoadReport& report);  // one line
std::string ReportHtml(const LoadReport& report);  // a page of its own, with plots; needs no other file

}  // namespace rml
