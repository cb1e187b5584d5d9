#include "client/cpp/address.h"

#include <gtest/gtest.h>

namespace rml {
namespace {

// The same cases as in tests/client/python/test_channel.py.
TEST(AddressTest, PortsAreAddedWhereThereAreNone) {
  const struct {
    const char* address;
    const char* with_port;
  } kCases[] = {{"localhost", "localhost:8001"}, {"localhost:1", "localhost:1"}, {"10.0.0.5:65535", "10.0.0.5:65535"},
                {"10.0.0.5", "10.0.0.5:8001"},   {"[::1]", "[::1]:8001"},        {"[::1]:9", "[::1]:9"}};
  for (const auto& c : kCases) EXPECT_EQ(*WithPort(c.address), c.with_port);
}

TEST(AddressTest, WhatIsNoAddress) {
  for (const char* address : {"", ":8001", "localhost:", "localhost:http", "localhost:0", "localhost:65536",
                              "localhost:+1", "localhost: 1", "localhost:1:2", "::1", "[::1", "[::1]8001", "[::1]:"}) {
    const absl::Status status = WithPort(address).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << address;
    EXPECT_NE(std::string(status.message()).find("'" + std::string(address) + "'"), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace rml
