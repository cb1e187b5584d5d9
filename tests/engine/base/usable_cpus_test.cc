#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "engine/base/thread_pool.h"

namespace rml {
namespace {

TEST(UsableCpus, FromOneToTheAffinityMask) {
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
  EXPECT_GE(UsableCpus(), 1);
  EXPECT_LE(UsableCpus(), CPU_COUNT(&mask));
}

TEST(UsableCpus, FollowsTheAffinityMask) {
  std::thread([] {  // a thread of its own, as the mask is a thread's
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &mask)) ++cpu;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(UsableCpus(), 1);
  })
      .join();
}

}  // namespace
}  // namespace rml
