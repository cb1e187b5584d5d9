#include "server/options/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rml {
namespace {

CommandLine Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "rml-server");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

TEST(OptionsTest, Defaults) {
  const CommandLine line = Parse({"--demo"});
  ASSERT_TRUE(line.options);
  EXPECT_EQ(line.options->port, 8001);
  EXPECT_EQ(line.options->http_port, 8002);
  EXPECT_EQ(line.options->log_format, LogFormat::kText);
  EXPECT_GE(line.options->instances, 1);
}

TEST(OptionsTest, HostsStandAsInUrls) {
  const std::pair<const char*, const char*> kCases[] = {{"127.0.0.1", "127.0.0.1"},
                                                        {"localhost", "localhost"},
                                                        {"::1", "[::1]"},
                                                        {"[::1]", "[::1]"},
                                                        {"::", "[::]"},
                                                        {"fe80::1%eth0", "[fe80::1%eth0]"}};
  for (const auto& [given, kept] : kCases) EXPECT_EQ(Parse({"--demo", "--host", given}).options->host, kept);
}

TEST(OptionsTest, LogFormats) {
  EXPECT_EQ(Parse({"--demo", "--log-format", "text"}).options->log_format, LogFormat::kText);
  EXPECT_EQ(Parse({"--demo", "--log-format", "json"}).options->log_format, LogFormat::kJson);
}

// Every option with values that it must not take, given alone and given twice.
TEST(OptionsTest, Refusals) {
  const std::vector<const char*> kNoWholeNumber = {
      "", " ", "-1", "1.5", "1e3", "0x10", "nan", "x", "99999999999999999999"};
  const std::vector<const char*> kNoNumber = {"", " ", "-1", "nan", "-nan", "inf", "1e300", "x"};
  const struct {
    const char* option;
    std::vector<const char*> values;
  } kCases[] = {
      {"--model-repository", {""}},
      {"--repository-mode", {"", "POLL", "watch"}},
      {"--poll-interval", kNoNumber},
      {"--settle", kNoNumber},
      {"--host", {""}},
      {"--port", kNoWholeNumber},
      {"--http-port", kNoWholeNumber},
      {"--port-file", {""}},
      {"--max-message-mib", kNoWholeNumber},
      {"--instances", kNoWholeNumber},
      {"--threads", kNoWholeNumber},
      {"--queue-limit", kNoWholeNumber},
      {"--memory-limit", kNoWholeNumber},
      {"--default-timeout", kNoNumber},
      {"--disable-pass", {"", "nothing"}},
      {"--lame-duck", kNoNumber},
      {"--drain-timeout", kNoNumber},
      {"--log-format", {"", "0", "1", "JSON", "xml"}},
      {"--log-level", {"", "2", "INFO", "trace"}},
  };
  for (const auto& [option, values] : kCases) {
    for (const char* value : values) {
      SCOPED_TRACE(std::string(option) + " '" + value + "'");
      testing::internal::CaptureStderr();
      const CommandLine line = Parse({option, value, "--demo"});
      EXPECT_FALSE(line.options);
      EXPECT_EQ(line.exit_code, kExitUsage);
      EXPECT_THAT(testing::internal::GetCapturedStderr(),
                  testing::StartsWith("rml-server: " + std::string(option) + ": "));
    }
  }
}

TEST(OptionsTest, RepositoryModes) {
  EXPECT_EQ(Parse({"--demo"}).options->repository_mode, RepositoryMode::kStatic);
  EXPECT_EQ(Parse({"--demo", "--repository-mode", "poll"}).options->repository_mode, RepositoryMode::kPoll);
  EXPECT_EQ(Parse({"--demo", "--repository-mode", "explicit", "--load-model", "mlp"}).options->load_models,
            std::vector<std::string>{"mlp"});
}

TEST(OptionsTest, OptionsOfAnotherRepositoryMode) {
  const struct {
    std::vector<const char*> arguments;
    const char* error;
  } kCases[] = {
      {{"--demo", "--settle", "2"}, "--settle is for --repository-mode poll; it is static"},
      {{"--demo", "--poll-interval", "2", "--repository-mode", "explicit"},
       "--poll-interval is for --repository-mode poll; it is explicit"},
      {{"--demo", "--load-model", "mlp"}, "--load-model is for --repository-mode explicit; it is static"},
  };
  for (const auto& c : kCases) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(Parse(c.arguments).exit_code, kExitUsage);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr(c.error));
  }
}

TEST(OptionsTest, SingleOptionsAreGivenOnce) {
  for (const char* option : {"--port", "--instances", "--lame-duck"}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(Parse({"--demo", option, "1", option, "2"}).exit_code, kExitUsage);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr(option));
  }
}

}  // namespace
}  // namespace rml
