#include "client/cpp/client.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace rml {
namespace {

TEST(ClientTest, WhatIsNoAddressIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(Client::Connect("localhost:65536").status()));
}

TEST(ClientTest, NoServerIsUnavailableAndNamesTheAddress) {
  // Port 1 is reserved and refuses at once.
  const auto client = Client::Connect("127.0.0.1:1", {.retry = {.max_attempts = 1}});
  ASSERT_TRUE(client.ok()) << client.status();
  const absl::Status status = (*client)->ListModels().status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_EQ(std::string(status.message()).find("127.0.0.1:1: "), 0u) << status;
}

TEST(ClientTest, TimeoutsOfAnyLength) {
  using std::chrono::milliseconds;
  for (const milliseconds timeout : {milliseconds(60'000), milliseconds(int64_t{1} << 60), milliseconds::max()}) {
    const auto client = Client::Connect("127.0.0.1:1", {.timeout = timeout, .retry = {.max_attempts = 1}});
    EXPECT_TRUE(absl::IsUnavailable((*client)->ListModels().status())) << timeout.count();
    EXPECT_TRUE(absl::IsUnavailable((*client)->ListModels({.timeout = timeout}).status())) << timeout.count();
  }
}

}  // namespace
}  // namespace rml
