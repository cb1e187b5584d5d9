// The commands of `rml`. Each prints to standard output and returns what the process exits with; `rml --help` is the manual.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/cpp/client.h"

namespace rml {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;       // an error of the server or a file, or outputs that are not equal
inline constexpr int kExitUsage = 2;        // the command line
inline constexpr int kExitUnreachable = 3;  // no server at the address

struct RunOptions {
  std::string model;
  int64_t version = 0;
  std::string inputs;
  bool random = false;
  uint32_t seed = 0;
  int64_t batch = 0;
  std::string output;
  std::string check;
};

struct ProfileOptions {
  std::string model;
  int64_t version = 0;
  std::string inputs;
  int64_t batch = 0;
  int iterations = 0;
  int threads = 0;
};

struct InspectOptions {
  std::string file;
  int64_t batch = 0;
  int threads = 1;
  bool fuse = true;
  std::vector<std::string> disabled_passes;
};

int RunCommand(Client& client, const RunOptions& options, bool json);
int ProfileCommand(Client& client, const ProfileOptions& options, bool json);
int ModelsCommand(Client& client, bool json);
int InspectCommand(const InspectOptions& options, bool json);  // in this process, without a server

// Prints "rml: MESSAGE" on standard error; what to exit with.
int Fail(const absl::Status& status);

}  // namespace rml
