#include "server/service/profile_table.h"

#include <gtest/gtest.h>

namespace rml {
namespace {

StepInfo Step(const char* label, std::vector<int> nodes, const char* kernel, int width, double flops, double bytes) {
  StepInfo step;
  step.label = label;
  step.nodes = std::move(nodes);
  step.kernel = kernel;
  step.width = width;
  step.flops = flops;
  step.bytes = bytes;
  return step;
}

TEST(ProfileTableTest, SumsByLabelSlowestFirst) {
  const std::vector<StepInfo> steps = {Step("matmul", {0, 1}, "small", 1, 1e6, 1e3),
                                       Step("softmax", {2}, "row", 1, 0, 8e3),
                                       Step("matmul", {3}, "large", 2, 5e6, 2e3)};
  const auto rows = ProfileTable(steps, {0.002, 0.010, 0.004}, 2);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].label(), "softmax");
  EXPECT_DOUBLE_EQ(rows[0].seconds(), 0.005);
  EXPECT_DOUBLE_EQ(rows[0].share(), 0.010 / 0.016);
  EXPECT_EQ(rows[1].label(), "matmul");
  EXPECT_EQ(rows[1].nodes(), 3);
  EXPECT_EQ(rows[1].calls(), 2);
  EXPECT_DOUBLE_EQ(rows[1].seconds(), 0.003);
  EXPECT_DOUBLE_EQ(rows[1].gflops(), 2.0);
  EXPECT_DOUBLE_EQ(rows[1].gbytes(), 0.001);
  EXPECT_EQ(rows[1].kernel(), "large");
  EXPECT_EQ(rows[1].width(), 2);
}

TEST(ProfileTableTest, StepsThatTakeNoTime) {
  const auto rows = ProfileTable({Step("view", {0}, "view", 1, 0, 0)}, {0.0}, 1);
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows[0].share(), 0);
  EXPECT_EQ(rows[0].gflops(), 0);
}

}  // namespace
}  // namespace rml
