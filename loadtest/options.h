// The command line of rml-loadtest.
#pragma once

#include <optional>

#include "loadtest/load_test.h"

namespace rml {

struct CommandLine {
  LoadTestOptions options;
  bool json = false;
};

// As Parse() in command_line/parse.h.
std::optional<int> ParseCommandLine(int argc, const char* const* argv, CommandLine& line);

}  // namespace rml
