#include "engine/base/usable_cpus.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "tests/engine/temporary_folder.h"

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

// A machine of 5000 CPUs of which 2000 may be used.
int LargeMachine(pid_t, size_t bytes, cpu_set_t* mask) {
  if (8 * bytes < 5000) {
    errno = EINVAL;
    return -1;
  }
  for (size_t cpu = 0; cpu < 2000; ++cpu) CPU_SET_S(cpu, bytes, mask);
  return 0;
}

int NoAffinity(pid_t, size_t, cpu_set_t*) {
  errno = ENOSYS;
  return -1;
}

int AlwaysTooSmall(pid_t, size_t, cpu_set_t*) {
  errno = EINVAL;
  return -1;
}

int EmptyMask(pid_t, size_t, cpu_set_t*) { return 0; }

TEST(UsableCpus, WithoutProcAndSysTheAffinityMaskCounts) {
  const TemporaryFolder empty;
  EXPECT_EQ(UsableCpus({.root = empty.Path("")}), UsableCpus({.root = empty.Path("not there")}));
  EXPECT_EQ(UsableCpus({&LargeMachine, empty.Path("")}), 2000);
  EXPECT_EQ(UsableCpus({&EmptyMask, empty.Path("")}), 1);
  for (auto* get : {&NoAffinity, &AlwaysTooSmall}) {
    EXPECT_EQ(UsableCpus({get, empty.Path("")}), sysconf(_SC_NPROCESSORS_ONLN));
  }
}

TEST(UsableCpus, AQuotaIsRoundedUpAndNeverRaisesTheNumber) {
  struct {
    const char* quota;
    int expected;
  } const cases[] = {{"1000 100000", 1},   {"100000 100000", 1},       {"150000 100000", 2},
                     {"max 100000", 2000}, {"900000000 100000", 2000}, {"9223372036854775807 1", 2000}};
  for (const auto& [quota, expected] : cases) {
    const TemporaryFolder folder;
    folder.Write("sys/fs/cgroup/cpu.max", quota);
    EXPECT_EQ(UsableCpus({&LargeMachine, folder.Path("")}), expected) << quota;
  }
}

}  // namespace
}  // namespace rml
