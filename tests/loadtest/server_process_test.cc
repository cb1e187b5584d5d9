#include "loadtest/server_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "loadtest/target_address.h"

namespace rml {
namespace {

TEST(ServerProcessTest, UsageIsReadFromTwoFiles) {
  // A program may call itself anything.
  const auto usage = ParseProcessUsage("12 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 9 0 77",
                                       "Name:\ta\nVmHWM:\t 900 kB\nVmRSS:\t     800 kB\nThreads:\t9\n", 100);
  ASSERT_TRUE(usage.ok()) << usage.status();
  EXPECT_EQ(usage->cpu_seconds, 3);
  EXPECT_EQ(usage->rss_bytes, 800 * 1024);
  EXPECT_EQ(usage->threads, 9);
}

TEST(ServerProcessTest, NoProcessIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(ParseProcessUsage("", "", 100).status()));
  EXPECT_TRUE(absl::IsNotFound(ParseProcessUsage("1 (a) S 1 2", "", 100).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadProcessUsage(1 << 30).status()));
}

TEST(ServerProcessTest, ThisProcessUsesMemory) {
  const auto usage = ReadProcessUsage(getpid());
  ASSERT_TRUE(usage.ok()) << usage.status();
  EXPECT_GT(usage->rss_bytes, 0);
  EXPECT_GE(usage->threads, 1);
}

TEST(ServerProcessTest, ListenersAreFoundByPort) {
  constexpr char kTable[] =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 0100007F:1F41 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0 0 10 0\n"
      "   1: 0100007F:1F41 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 22 1 0 100 0 0 10 0\n"
      "   2: 0100007F:1F42 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 33 1 0 100 0 0 10 "
      "0\n";
  EXPECT_EQ(ParseListener(kTable, 8001), 22);  // 1F41; not the connection on the same port
  EXPECT_EQ(ParseListener(kTable, 8002), 33);
  EXPECT_EQ(ParseListener(kTable, 8003), 0);
  EXPECT_EQ(ParseListener("", 8001), 0);
}

TEST(TargetAddressTest, ThisMachineAndOthers) {
  for (const char* address : {"localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1"}) EXPECT_TRUE(IsLoopback(address));
  for (const char* address : {"10.0.0.1:1", "0.0.0.0:1", "127.example.com:1", "127.1:1", "localhost.example.com:1",
                              "[::2]:1", "[::ffff:10.0.0.1]:1"}) {
    EXPECT_FALSE(IsLoopback(address)) << address;
  }
  EXPECT_EQ(PortOf("[::1]:8001"), 8001);
}

}  // namespace
}  // namespace rml
