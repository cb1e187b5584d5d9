#include "engine/exec/flush_constants.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "engine/exec/executor.h"
#include "tests/engine/graph_builder.h"

namespace rml {
namespace {

struct FlushCase {
  const char* name;
  uint32_t before, after;
};
constexpr FlushCase kCases[] = {
    {"SmallestSubnormal", 0x00000001, 0x00000000},
    {"LargestSubnormal", 0x007fffff, 0x00000000},
    {"NegativeSubnormal", 0x80000001, 0x80000000},
    {"LargestNegative", 0x807fffff, 0x80000000},
    {"SmallestNormal", 0x00800000, 0x00800000},
    {"NegativeNormal", 0x80800000, 0x80800000},
    {"Zero", 0x00000000, 0x00000000},
    {"NegativeZero", 0x80000000, 0x80000000},
    {"NanWithASmallPayload", 0x7f800001, 0x7f800001},
    {"Infinity", 0xff800000, 0xff800000},
};

std::vector<uint32_t> Bits(const Constant& constant, int64_t count) {
  const auto* bits = static_cast<const uint32_t*>(constant.data);
  return {bits, bits + count};
}

TEST(FlushConstants, OnlySubnormalsBecomeZerosOfTheirSign) {
  for (const FlushCase& c : kCases) {
    GraphBuilder b;
    b.Constant({2}, {1.0f, std::bit_cast<float>(c.before)});
    Graph graph = b.Build();
    ASSERT_TRUE(FlushConstants(graph).ok());
    EXPECT_EQ(Bits(graph.constants[0], 2), (std::vector<uint32_t>{0x3f800000, c.after})) << c.name;
  }
}

TEST(FlushConstants, IntegersAndWhatHoldsNoSubnormalKeepTheirMemory) {
  GraphBuilder b;
  b.ConstantI32({3}, {1, 0x007fffff, -1});
  b.Constant({3}, {0.0f, 1.0f, -0x1p-126f});
  b.Constant({0}, {});
  Graph graph = b.Build();
  const Graph before = graph;
  ASSERT_TRUE(FlushConstants(graph).ok());
  for (size_t i = 0; i < before.constants.size(); ++i) {
    EXPECT_EQ(graph.constants[i].data, before.constants[i].data) << i;
  }
  EXPECT_EQ(Bits(graph.constants[0], 3), (std::vector<uint32_t>{1, 0x007fffff, 0xffffffff}));
}

// A copy does no arithmetic, so the processor's flushing would not hide a constant left as it is.
TEST(FlushConstants, AModelCopiesZeros) {
  GraphBuilder b;
  const ValueId subnormals = b.Constant({2}, {0x1p-149f, -0x1p-140f});
  b.Output(b.Node("concat", {b.Input("x", {1}), subnormals}, {{"axis", Dim(0)}}));
  const auto program = Program::Compile(b.Build());
  ASSERT_TRUE(program.ok()) << program.status();
  const auto executor = Executor::Create(*program);
  ASSERT_TRUE(executor.ok()) << executor.status();
  const Tensor x = RandomTensor({1}, 3);
  std::vector<Tensor> outputs;
  ASSERT_TRUE((*executor)->Run({x.view()}, outputs).ok());
  EXPECT_EQ(std::bit_cast<uint32_t>(outputs[0].data<float>()[1]), 0u);
  EXPECT_EQ(std::bit_cast<uint32_t>(outputs[0].data<float>()[2]), 0x80000000u);
}

}  // namespace
}  // namespace rml
