#include "server/http/listen_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rml {
namespace {

TEST(ListenSocketTest, AnyFreePort) {
  for (const char* host : {"127.0.0.1", "0.0.0.0", "localhost", "::1", "[::1]", "::", "[::]"}) {
    SCOPED_TRACE(host);
    const auto socket = ListenSocket::Open(host, 0);
    ASSERT_TRUE(socket.ok()) << socket.status();
    EXPECT_GT(socket->port(), 0);
  }
}

TEST(ListenSocketTest, ClosedWhenDestroyed) {
  const int port = ListenSocket::Open("127.0.0.1", 0)->port();
  EXPECT_TRUE(ListenSocket::Open("127.0.0.1", port).ok());
}

TEST(ListenSocketTest, Errors) {
  const auto taken = ListenSocket::Open("127.0.0.1", 0);
  const int port = taken->port();
  const struct {
    const char* host;
    int port;
    std::string message;
  } kCases[] = {
      {"127.0.0.1", port, "cannot listen on 127.0.0.1:" + std::to_string(port) + ": Address already in use"},
      {"0.0.0.0", port, "cannot listen on 0.0.0.0:" + std::to_string(port) + ": Address already in use"},
      {"192.0.2.1", 0, "cannot listen on 192.0.2.1:0: Cannot assign requested address"},
      {"[::1", 0, "cannot listen on [::1:0: Name or service not known"},
      {"", -1, "cannot listen on :-1: Servname not supported for ai_socktype"},
  };
  for (const auto& [host, at, message] : kCases) {
    const auto socket = ListenSocket::Open(host, at);
    EXPECT_EQ(socket.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(socket.status().message(), message);
  }
}

}  // namespace
}  // namespace rml
