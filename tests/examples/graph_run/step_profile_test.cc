#include "examples/graph_run/step_profile.h"

#include <gtest/gtest.h>

#include <vector>

namespace rml {
namespace {

TEST(StepProfileTest, SumsByLabelSlowestFirst) {
  const std::vector<StepInfo> steps = {
      {.label = "relu", .nodes = {0}, .kernel = "elementwise", .width = 1, .flops = 1e9, .bytes = 2e9},
      {.label = "matmul", .nodes = {1}, .kernel = "small", .width = 1, .flops = 1e9},
      {.label = "matmul", .nodes = {2, 3}, .kernel = "large", .width = 2, .flops = 5e9}};
  const std::vector<ProfileRow> rows = SumByLabel(steps, {2.0, 2.0, 4.0}, 2);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].label, "matmul");
  EXPECT_EQ(rows[0].nodes, 3);
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_DOUBLE_EQ(rows[0].seconds, 3.0);
  EXPECT_DOUBLE_EQ(rows[0].share, 0.75);
  EXPECT_DOUBLE_EQ(rows[0].gflops, 2.0);
  EXPECT_EQ(rows[0].kernel, "large");
  EXPECT_EQ(rows[0].width, 2);
  EXPECT_EQ(rows[1].label, "relu");
  EXPECT_DOUBLE_EQ(rows[1].gbytes, 2.0);
}

TEST(StepProfileTest, StepsThatTookNoTimeHaveNoRate) {
  const std::vector<StepInfo> steps = {{.label = "reshape", .nodes = {0}, .kernel = "view"},
                                       {.label = "a view", .nodes = {1}, .kernel = "view", .flops = 1}};
  const std::vector<ProfileRow> rows = SumByLabel(steps, {0.0, 0.0}, 1);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].label, "a view");  // equal times: by label
  EXPECT_EQ(rows[0].share, 0);
  EXPECT_EQ(rows[0].gflops, 0);
}

}  // namespace
}  // namespace rml
