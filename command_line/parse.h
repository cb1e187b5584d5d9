// What the command lines of all programs have in common.
#pragma once

#include <optional>
#include <string>

#include "CLI/CLI.hpp"

namespace rml {

inline constexpr int kExitAfterUsageError = 2;

// "0.1.0"
std::string Version();

// Parses into what the options are bound to. Empty: go on. Otherwise the program is to exit with this code: 0 after help
// or version, 2 after an error, which has been printed as "<name of the program>: <what>" and where to find help.
std::optional<int> Parse(CLI::App& app, int argc, const char* const* argv);

}  // namespace rml
