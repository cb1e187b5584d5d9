#include "command_line/parse.h"

#include "absl/strings/str_format.h"

namespace rml {

std::string Version() { return RML_VERSION; }

std::optional<int> Parse(CLI::App& app, int argc, const char* const* argv) {
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return absl::StrFormat("%s: %s\n`%s --help` tells more.\n", failed->get_name(), error.what(), failed->get_name());
  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitAfterUsageError;
  }
  return std::nullopt;
}

}  // namespace rml
