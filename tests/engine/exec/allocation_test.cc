// From the second run of a shape on, Run allocates nothing: malloc, aligned_alloc and mmap are counted on all threads.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "tests/engine/exec/fixtures.h"

namespace {

std::atomic<bool> g_counting{false};
std::atomic<int64_t> g_allocations{0};

void CountAllocation() {
  if (g_counting.load(std::memory_order_relaxed)) g_allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

// The C library's own, which these stand in front of.
extern "C" {
void* __libc_malloc(size_t size);                      // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(size_t count, size_t size);        // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* p, size_t size);            // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(size_t alignment, size_t size);  // NOLINT(bugprone-reserved-identifier)

void* malloc(size_t size) {
  CountAllocation();
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  CountAllocation();
  return __libc_calloc(count, size);
}
void* realloc(void* p, size_t size) {
  CountAllocation();
  return __libc_realloc(p, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  CountAllocation();
  return __libc_memalign(alignment, size);
}
void* memalign(size_t alignment, size_t size) {
  CountAllocation();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** p, size_t alignment, size_t size) {
  CountAllocation();
  *p = __libc_memalign(alignment, size);
  return *p == nullptr ? ENOMEM : 0;
}
void* mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  CountAllocation();
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, length, protection, flags, fd, offset));
}
}

namespace rml {
namespace {

TEST(CountingAllocator, SeesMallocNewAndMmap) {
  g_allocations = 0;
  g_counting = true;
  // Through volatile, so that the compiler keeps them.
  void* volatile memory = malloc(10);
  free(memory);
  int* volatile number = new int(1);
  delete number;
  {
    const Buffer large(1 << 20);
  }
  {
    const Buffer small(100);
  }
  g_counting = false;
  EXPECT_EQ(g_allocations.load(), 4);
}

class AllocationTest : public testing::TestWithParam<Fixture> {};

TEST_P(AllocationTest, SecondRunAllocatesNothing) {
  const auto golden = ReadGolden(GetParam().golden_path);
  ASSERT_TRUE(golden.ok()) << golden.status();
  const std::vector<ConstTensorView> inputs = Views(golden->inputs);
  for (const int threads : {1, 2}) {
    const auto program = Program::Load(GetParam().json_path);
    ASSERT_TRUE(program.ok()) << program.status();
    const auto executor = Executor::Create(*program, {.num_threads = threads});
    ASSERT_TRUE(executor.ok()) << executor.status();
    std::vector<Tensor> outputs;
    ASSERT_TRUE((*executor)->Run(inputs, outputs).ok());
    g_allocations = 0;
    g_counting = true;
    bool all_ok = true;
    for (int run = 0; run < 3; ++run) all_ok &= (*executor)->Run(inputs, outputs).ok();
    g_counting = false;
    EXPECT_TRUE(all_ok);
    EXPECT_EQ(g_allocations.load(), 0) << threads << " threads";
  }
}

std::string NameOf(const testing::TestParamInfo<Fixture>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Fixtures, AllocationTest, testing::ValuesIn(FindFixtures()), NameOf);

}  // namespace
}  // namespace rml
