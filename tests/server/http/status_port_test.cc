#include "server/http/status_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "httplib.h"

namespace rml {
namespace {

class StatusPortTest : public testing::Test {
 protected:
  httplib::Result Get(const char* path) { return httplib::Client("127.0.0.1", port_->port()).Get(path); }

  std::string not_ready_ = "models are loading";
  std::unique_ptr<StatusPort> port_ = *StatusPort::Start(
      {.port = 0, .metrics = [] { return std::string("up 1\n"); }, .not_ready = [this] { return not_ready_; }});
};

TEST_F(StatusPortTest, Metrics) {
  const auto result = Get("/metrics");
  EXPECT_EQ(result->status, 200);
  EXPECT_EQ(result->body, "up 1\n");
  EXPECT_EQ(result->get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
}

TEST_F(StatusPortTest, LiveBeforeReady) {
  EXPECT_EQ(Get("/livez")->status, 200);
  EXPECT_EQ(Get("/readyz")->status, 503);
  EXPECT_EQ(Get("/readyz")->body, "models are loading\n");
  not_ready_.clear();
  EXPECT_EQ(Get("/readyz")->status, 200);
}

TEST_F(StatusPortTest, OtherPathsAreNotFound) { EXPECT_EQ(Get("/metrics/../etc/passwd")->status, 404); }

TEST_F(StatusPortTest, TakenPortIsAnError) {
  const auto second = StatusPort::Start({.port = port_->port()});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()),
              testing::HasSubstr("HTTP: cannot listen on 127.0.0.1:" + std::to_string(port_->port())));
}

}  // namespace
}  // namespace rml
