#include "command_line/checks.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"

namespace rml {
namespace {

// No name: it would stand in the help, after what the option is described by there.
CLI::Validator Unnamed(std::function<std::string(std::string&)> check) { return {std::move(check), "", ""}; }

}  // namespace

CLI::Validator WholeNumber(int64_t min, int64_t max) {
  return Unnamed([min, max](const std::string& text) -> std::string {
    int64_t number = 0;
    if (absl::SimpleAtoi(text, &number) && number >= min && number <= max) return "";
    return absl::StrFormat("'%s'; expected a whole number from %d to %d", text, min, max);
  });
}

CLI::Validator Number(double min, double max) {
  return Unnamed([min, max](const std::string& text) -> std::string {
    double number = 0;
    if (absl::SimpleAtod(text, &number) && number >= min && number <= max) return "";
    return absl::StrFormat("'%s'; expected a number from %.9g to %.9g", text, min, max);
  });
}

CLI::Validator NotEmpty() {
  return Unnamed([](const std::string& text) -> std::string { return text.empty() ? "is given but empty" : ""; });
}

}  // namespace rml
