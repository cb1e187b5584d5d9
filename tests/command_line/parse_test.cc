#include "command_line/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace rml {
namespace {

struct Outcome {
  std::optional<int> exit_code;
  std::string out, err;
};

Outcome Parsed(std::vector<const char*> arguments) {
  CLI::App app("Does nothing.", "program");
  int number = 0;
  app.add_option("--number", number);
  app.set_version_flag("--version", Version);
  arguments.insert(arguments.begin(), "/somewhere/renamed");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.exit_code = Parse(app, static_cast<int>(arguments.size()), arguments.data());
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

TEST(ParseTest, GoesOn) {
  const Outcome outcome = Parsed({"--number", "3"});
  EXPECT_EQ(outcome.exit_code, std::nullopt);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST(ParseTest, HelpAndVersionGoToStandardOutput) {
  const Outcome help = Parsed({"--help"}), version = Parsed({"--version"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, testing::HasSubstr("Usage: program"));
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out, Version() + "\n");
  EXPECT_EQ(help.err + version.err, "");
}

TEST(ParseTest, ErrorsNameTheProgram) {
  const Outcome outcome = Parsed({"--nothing"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "program: The following argument was not expected: --nothing\n`program --help` tells more.\n");
}

}  // namespace
}  // namespace rml
