#include "server/http/status_port.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

namespace rml {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// A connection to a port of this machine. Reading gives up after a minute, so that a server that hangs fails a test.
class Connection {
 public:
  explicit Connection(int port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    const sockaddr_in address{
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~Connection() { close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool connected() const { return connected_; }
  bool Send(std::string_view text) {
    return send(fd_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  // Until the server closes.
  std::string ReadAll() {
    std::string text, part(4096, '\0');
    for (ssize_t n; (n = recv(fd_, part.data(), part.size(), 0)) > 0;) text.append(part, 0, static_cast<size_t>(n));
    return text;
  }

 private:
  int fd_;
  bool connected_ = false;
};

class StatusPortTest : public testing::Test {
 protected:
  std::string Ask(std::string_view request) {
    Connection connection(port_->port());
    EXPECT_TRUE(connection.Send(request));
    return connection.ReadAll();
  }
  std::string Get(const std::string& path) { return Ask("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"); }

  std::string not_ready_ = "models are loading";
  std::unique_ptr<StatusPort> port_ = *StatusPort::Start(
      {.port = 0, .metrics = [] { return std::string("up 1\n"); }, .not_ready = [this] { return not_ready_; }});
};

TEST_F(StatusPortTest, Metrics) {
  EXPECT_THAT(Get("/metrics"), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("\r\n\r\nup 1\n"),
                                     HasSubstr("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"),
                                     HasSubstr("Connection: close\r\n")));
}

TEST_F(StatusPortTest, LiveBeforeReady) {
  EXPECT_THAT(Get("/livez"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Get("/readyz"), AllOf(StartsWith("HTTP/1.1 503 "), EndsWith("models are loading\n")));
  not_ready_.clear();
  EXPECT_THAT(Get("/readyz"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(StatusPortTest, OtherRequests) {
  const struct {
    const char* name;
    std::string request, status;
  } kCases[] = {
      {"other path", "GET /metrics/../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", "404"},
      {"root", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "404"},
      {"head", "HEAD /livez HTTP/1.1\r\nHost: x\r\n\r\n", "200"},
      {"old", "GET /livez HTTP/1.0\r\n\r\n", "200"},
      {"post", "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", "405"},
      {"post of a body that never comes", "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1099511627776\r\n\r\n",
       "405"},
      {"chunked", "PUT /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "405"},
      {"get with a body", "GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 1099511627776\r\n\r\n", "200"},
      {"not a number", "GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "400"},
      {"long path", "GET /" + std::string(1 << 20, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", "414"},
  };
  for (const auto& [name, request, status] : kCases) {
    SCOPED_TRACE(name);
    Connection connection(port_->port());
    connection.Send(request);  // of the longest, the server reads only the beginning
    EXPECT_THAT(connection.ReadAll(), StartsWith("HTTP/1.1 " + status + " "));
  }
  EXPECT_THAT(Get("/livez"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(StatusPortTest, SlowAndSilentClientsHoldUpNobody) {
  std::vector<std::unique_ptr<Connection>> slow;
  for (int i = 0; i < 60; ++i) {
    slow.push_back(std::make_unique<Connection>(port_->port()));
    ASSERT_TRUE(slow.back()->connected());
    ASSERT_TRUE(i % 2 == 1 || slow.back()->Send("GET /livez HTTP/1.1\r\nHo"));
  }
  EXPECT_THAT(Get("/livez"), StartsWith("HTTP/1.1 200 "));
  ASSERT_TRUE(slow[0]->Send("st: x\r\n\r\n"));  // the slow one is still served, so they were all there meanwhile
  EXPECT_THAT(slow[0]->ReadAll(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(StatusPortTest, TakenPortIsAnError) {
  const auto second = StatusPort::Start({.port = port_->port()});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(second.status().message(),
            "HTTP: cannot listen on 127.0.0.1:" + std::to_string(port_->port()) + ": Address already in use");
}

}  // namespace
}  // namespace rml
