#include "server/options/log.h"

#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <functional>
#include <string>

namespace rml {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(JsonEscapeTest, IsAlwaysAString) {
  EXPECT_EQ(JsonEscape("plain \xc3\xa9"), "plain \xc3\xa9");
  EXPECT_EQ(JsonEscape("a\"b\\c\nd"), "a\\\"b\\\\c\\u000ad");
  EXPECT_EQ(JsonEscape("f\xfcr"), "f?r") << "a JSON reader would refuse the line";
}

// What arrives on standard error.
std::string Log(LogFormat format, const std::string& level, const std::function<void()>& act) {
  testing::internal::CaptureStderr();
  SetUpLog(format, level);
  act();
  return testing::internal::GetCapturedStderr();
}

TEST(LogTest, OneObjectALine) {
  EXPECT_THAT(Log(LogFormat::kJson, "info", [] { spdlog::info("a\nb"); }),
              testing::MatchesRegex(R"(\{"time":"[-0-9T:.]*Z","level":"info","message":"a\\u000ab"\}.)"));
}

TEST(LogTest, ProtobufGoesThroughIt) {
  const auto wrong = [] { GOOGLE_LOG(ERROR) << "something is wrong"; };
  EXPECT_THAT(Log(LogFormat::kText, "info", wrong), HasSubstr("error   protobuf: something is wrong\n"));
  const auto odd = [] { GOOGLE_LOG(WARNING) << "something is odd"; };
  EXPECT_THAT(Log(LogFormat::kJson, "info", odd),
              HasSubstr(R"("level":"warning","message":"protobuf: something is odd")"));
}

TEST(LogTest, WhatCallersSendIsLoggedForDebuggingOnly) {
  const auto bad_request = [] { GOOGLE_LOG(ERROR) << "invalid UTF-8 data when parsing a protocol buffer"; };
  EXPECT_THAT(Log(LogFormat::kText, "info", bad_request), IsEmpty());
  EXPECT_THAT(Log(LogFormat::kText, "debug", bad_request), HasSubstr("debug   protobuf: invalid UTF-8"));
}

}  // namespace
}  // namespace rml
