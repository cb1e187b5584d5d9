// The command line of rml-loadtest.
#pragma once

#include <optional>
#include <string>

#include "loadtest/load_test.h"

namespace rml {

struct CommandLine {
  LoadTestOptions options;
  bool json = false;
  std::string html{};  // file to write; empty: none
};

// As Parse() in command_line/parse.h.
std::optional<int> ParseCommandLine(int argc, const char* const* argv, CommandLine& line);

}  // namespace rml
