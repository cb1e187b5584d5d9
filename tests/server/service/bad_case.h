// Tables of requests that are refused, for every protocol.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "server/service/problems.h"

namespace rml {

struct BadCase {
  const char* name;
  std::string request;
  std::string message;  // after "m: "
  std::string field;    // of the first violation
};

// `status`: what checking test.request gave.
inline void ExpectRefusal(const BadCase& test, const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), "m: " + test.message);
  EXPECT_LT(status.message().size(), 1024);
  const auto payload = status.GetPayload(kBadRequestType);
  ASSERT_TRUE(payload);
  EXPECT_THAT(std::string(*payload), testing::HasSubstr(test.field));
}

}  // namespace rml
