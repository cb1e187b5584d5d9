// A whole load test: from what was asked for to the report.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "loadtest/report.h"
#include "loadtest/verdict.h"

namespace rml {

struct LoadTestOptions {
  std::string server = "localhost:8001";
  bool allow_remote = false;    // load on machines other than this one
  bool open_inference = false;  // the Open Inference Protocol in place of rml.v1
  int connections = 1;
  std::vector<ReportModel> models;

  int workers = 0;     // closed loop if not 0
  double rate = 0;     // open loop if not 0
  double ramp_to = 0;  // if not 0: from rate to here in `steps` steps
  int steps = 5;
  double search_p99_seconds = 0;  // if not 0: the highest rate with p99 within it is searched, from rate on

  double warm_up_seconds = 1;
  double duration_seconds = 10;
  double timeout_seconds = 10;
  int64_t max_requests = INT64_MAX;
  int64_t max_in_flight = 10'000;
  uint64_t seed = 1;

  VerdictLimits limits;
  int server_pid = 0;             // 0: whoever listens on the server's port
  std::FILE* terminal = nullptr;  // for progress
};

// Runs all steps; ends by itself, after at most warm-up + duration + timeout a step.
// Errors: InvalidArgument for options and files; what the server says when it is asked about the models.
absl::StatusOr<LoadReport> RunLoadTest(const LoadTestOptions& options);

}  // namespace rml
