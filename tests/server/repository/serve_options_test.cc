#include "server/repository/serve_options.h"

#include <gtest/gtest.h>

namespace rml {
namespace {

const ServeOptions kFlags{.instances = 4,
                          .threads = 3,
                          .queue_limit = 10,
                          .default_timeout = std::chrono::seconds(60),
                          .program = {.disabled_passes = {"pass"}}};

TEST(ServeOptionsTest, AnEmptyConfigChangesNothing) {
  const ServeOptions options = Override(kFlags, {});
  EXPECT_EQ(options.instances, 4);
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.queue_limit, 10);
  EXPECT_EQ(options.default_timeout, std::chrono::seconds(60));
  EXPECT_EQ(options.program.disabled_passes.size(), 1);
  EXPECT_FALSE(options.max_rows);
  EXPECT_TRUE(options.warm_up_rows.empty());
}

TEST(ServeOptionsTest, WhatTheConfigSaysComesFirst) {
  const ServeOptions options = Override(kFlags, {.instances = 1,
                                                 .threads = 2,
                                                 .queue_limit = 5,
                                                 .default_timeout_seconds = 0,
                                                 .max_rows = Placed<int64_t>{7, ""},
                                                 .warm_up_rows = {{3, ""}}});
  EXPECT_EQ(options.instances, 1);
  EXPECT_EQ(options.threads, 2);
  EXPECT_EQ(options.queue_limit, 5);
  EXPECT_EQ(options.default_timeout.count(), 0) << "0 is no timeout, not the flag's";
  EXPECT_EQ(options.program.disabled_passes.size(), 1);
  EXPECT_EQ(options.max_rows->value, 7);
  EXPECT_EQ(options.warm_up_rows.size(), 1);
}

}  // namespace
}  // namespace rml
