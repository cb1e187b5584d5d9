#include "engine/exec/step_profile.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "tests/engine/graph_builder.h"

namespace rml {
namespace {

// A machine of 10 Gflop/s.
double AtPeak(const StepInfo& step) { return step.flops / 1e10; }

TEST(StepProfileTest, SumsByLabelSlowestFirst) {
  const std::vector<StepInfo> steps = {
      {.label = "relu", .nodes = {0}, .kernel = "elementwise", .width = 1, .flops = 1e9, .bytes = 2e9},
      {.label = "matmul", .nodes = {1}, .kernel = "small", .width = 1, .flops = 1e9},
      {.label = "matmul", .nodes = {2, 3}, .kernel = "large", .width = 2, .flops = 5e9}};
  const std::vector<ProfileRow> rows = SumByLabel(steps, {2.0, 2.0, 4.0}, 2, AtPeak);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].label, "matmul");
  EXPECT_EQ(rows[0].nodes, 3);
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_DOUBLE_EQ(rows[0].seconds, 3.0);
  EXPECT_DOUBLE_EQ(rows[0].share, 0.75);
  EXPECT_DOUBLE_EQ(rows[0].gflops, 2.0);
  EXPECT_EQ(rows[0].kernel, "large");
  EXPECT_EQ(rows[0].width, 2);
  EXPECT_DOUBLE_EQ(rows[0].peak_share, 0.2);  // 6 Gflop in 3 s, on a machine of 10 Gflop/s
  EXPECT_EQ(rows[1].label, "relu");
  EXPECT_DOUBLE_EQ(rows[1].gbytes, 2.0);
}

TEST(StepProfileTest, StepsThatTookNoTimeHaveNoRate) {
  const std::vector<StepInfo> steps = {{.label = "reshape", .nodes = {0}, .kernel = "view"},
                                       {.label = "a view", .nodes = {1}, .kernel = "view", .flops = 1}};
  const std::vector<ProfileRow> rows = SumByLabel(steps, {0.0, 0.0}, 1, AtPeak);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].label, "a view");  // equal times: by label
  EXPECT_EQ(rows[0].share, 0);
  EXPECT_EQ(rows[0].gflops, 0);
  EXPECT_EQ(rows[0].peak_share, 0);
}

TEST(StepProfileTest, ProfilesTheStepsOfAProgram) {
  GraphBuilder b;
  b.Symbolic(1, 8);
  const ValueId x = b.Input("x", {Dim::TimesB(1), 3});
  b.Output(b.Node("softmax", {b.Node("exp", {x})}, {{"axis", Dim(1)}}));
  const auto program = Program::Compile(b.Build());
  ASSERT_TRUE(program.ok()) << program.status();
  const auto executor = Executor::Create(*program);
  ASSERT_TRUE(executor.ok()) << executor.status();
  std::vector<Tensor> outputs;
  const auto profile = ProfileRuns(**executor, Views(*(*program)->ZeroInputs(5)), 3, outputs);
  ASSERT_TRUE(profile.ok()) << profile.status();
  ASSERT_EQ(profile->rows.size(), 2u);
  double seconds = 0;
  for (const ProfileRow& row : profile->rows) EXPECT_GT(row.peak_share, 0) << row.label;
  for (const ProfileRow& row : profile->rows) seconds += row.seconds;
  EXPECT_GT(seconds, 0);
  EXPECT_LE(seconds, profile->wall_seconds);
  EXPECT_EQ(outputs[0].shape(), (Shape{5, 3}));
  const std::atomic<bool> cancelled{true};
  EXPECT_TRUE(absl::IsCancelled(
      ProfileRuns(**executor, Views(*(*program)->ZeroInputs(5)), 3, outputs, {.cancelled = &cancelled}).status()));
}

}  // namespace
}  // namespace rml
