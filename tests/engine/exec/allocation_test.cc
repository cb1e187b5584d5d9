// From the second run of a shape on, Run allocates nothing: malloc, aligned_alloc and mmap are counted on all threads.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/engine/counting_allocator.h"
#include "tests/engine/exec/fixtures.h"

namespace rml {
namespace {

TEST(CountingAllocator, SeesMallocNewAndMmap) {
  StartCountingAllocations();
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
  EXPECT_EQ(StopCountingAllocations(), 4);
}

class AllocationTest : public testing::TestWithParam<Fixture> {};

TEST_P(AllocationTest, SecondRunAllocatesNothing) {
  const auto golden = ReadGolden(GetParam().golden_path);
  ASSERT_TRUE(golden.ok()) << golden.status();
  const std::vector<ConstTensorView> inputs = Views(golden->inputs);
  for (const int threads : {1, 2}) {
    const auto program = Program::Load(GetParam().json_path);
    ASSERT_TRUE(program.ok()) << program.status();
    // With two threads also in blocks, of two sizes where the golden batch allows it.
    const auto executor = Executor::Create(*program, {.num_threads = threads, .rows_at_a_time = threads == 2 ? 2 : 0});
    ASSERT_TRUE(executor.ok()) << executor.status();
    std::vector<Tensor> outputs;
    ASSERT_TRUE((*executor)->Run(inputs, outputs).ok());
    StartCountingAllocations();
    bool all_ok = true;
    for (int run = 0; run < 3; ++run) all_ok &= (*executor)->Run(inputs, outputs).ok();
    const int64_t allocations = StopCountingAllocations();
    EXPECT_TRUE(all_ok);
    EXPECT_EQ(allocations, 0) << threads << " threads";

    const std::string bits = BitsDigest(outputs);
    std::vector<TensorView> views;
    for (Tensor& output : outputs) {
      std::memset(output.raw(), -1, output.shape().num_bytes());
      views.push_back({output.dtype(), output.shape(), output.raw()});
    }
    StartCountingAllocations();
    for (int run = 0; run < 2; ++run) all_ok &= (*executor)->RunInto(inputs, views).ok();
    const int64_t allocations_into = StopCountingAllocations();
    EXPECT_TRUE(all_ok);
    EXPECT_EQ(allocations_into, 0) << "RunInto, " << threads << " threads";
    EXPECT_EQ(BitsDigest(outputs), bits);
  }
}

std::string NameOf(const testing::TestParamInfo<Fixture>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Fixtures, AllocationTest, testing::ValuesIn(FindFixtures()), NameOf);

}  // namespace
}  // namespace rml
