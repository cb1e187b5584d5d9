// The command line of rml-server. `rml-server --help` is its manual; docs/operations.md says when to use what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/config/repository_mode.h"

namespace rml {

enum class LogFormat { kText, kJson };

struct ServerOptions {
  // Models: exactly one kind of source.
  std::string model_repository;
  std::vector<std::string> models;  // "NAME=DIR"
  bool demo = false;
  RepositoryMode repository_mode = RepositoryMode::kStatic;
  double poll_interval_seconds = 1;
  double settle_seconds = 1;
  std::vector<std::string> load_models;  // of RepositoryMode::kExplicit

  // Network.
  std::string host = "127.0.0.1";  // IPv6 addresses in brackets, however they were given
  int port = 8001;
  int http_port = 8002;
  std::string port_file;
  int64_t max_message_mib = 64;

  // Execution.
  int instances = 0;  // 0 on the command line: filled in with the number of usable CPUs
  int threads = 1;
  size_t queue_limit = 256;
  int64_t memory_limit_mib = 0;  // 0: none
  double default_timeout_seconds = 60;
  std::vector<std::string> disabled_passes;

  // Lifecycle and log.
  double lame_duck_seconds = 0;
  double drain_timeout_seconds = 30;
  LogFormat log_format = LogFormat::kText;
  std::string log_level = "info";
};

// Exit codes of the program.
inline constexpr int kExitOk = 0;
inline constexpr int kExitCannotStart = 1;  // port taken, repository unreadable
inline constexpr int kExitUsage =
    2;  // the command line (command_line/parse.h): wrong flags, no models named, RML_ISA that this machine lacks

// What to do: serve with `options`, or leave with `exit_code` (help and version have been printed, an error too).
struct CommandLine {
  std::optional<ServerOptions> options;
  int exit_code = kExitOk;
};
CommandLine ParseCommandLine(int argc, const char* const* argv);

}  // namespace rml
