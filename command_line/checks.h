// Checks for values of command line options, given to CLI::Option::check(). Each says what came and what was expected;
// CLI11 puts the option's name before it. CLI11's own checks take NaN for a number in range and nothing for a file.
#pragma once

#include <cstdint>
#include <string>

#include "CLI/CLI.hpp"

namespace rml {

CLI::Validator WholeNumber(int64_t min, int64_t max);
CLI::Validator Number(double min, double max);
CLI::Validator NotEmpty();

}  // namespace rml
