// Large batches in blocks of rows: how many blocks, the same bits, and who is refused.
#include "engine/exec/row_blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/exec/fixtures.h"
#include "tests/engine/graph_builder.h"

namespace rml {
namespace {

TEST(RowBlocks, WeighWeightsAgainstCachedRows) {
  struct Case {
    const char* name;
    std::vector<StepGrowth> steps;
    double held_per_row;
    int num_threads;
    int64_t rows;
    int64_t blocks;
  };
  const StepGrowth elementwise{.flops_per_row = 1e5, .bytes_per_row = 512 << 10};
  const StepGrowth product{.flops_per_row = 4e6, .fixed_bytes = 8 << 20, .bytes_per_row = 16 << 10};
  const StepGrowth small{.flops_per_row = 1e3, .fixed_bytes = 4000, .bytes_per_row = 400};
  constexpr double kHalfMiB = 512 << 10;
  const Case cases[] = {
      {"one row cannot be cut", {elementwise}, kHalfMiB, 1, 1, 1},
      {"two rows of 512 KiB stay in L2", {elementwise}, kHalfMiB, 1, 64, 32},
      {"and on each of two threads", {elementwise}, kHalfMiB, 2, 64, 16},
      {"an odd batch", {elementwise}, kHalfMiB, 1, 33, 17},
      {"what is held counts, not what one step moves", {small, elementwise, small}, 2 * kHalfMiB, 1, 64, 64},
      {"it all stays anyway", {elementwise}, 1000, 1, 64, 1},
      {"large weights are read once", {product}, kHalfMiB, 1, 64, 1},
      {"nothing moves much", {small, small}, 800, 1, 64, 1},
      {"nothing at all", {}, 0, 1, 64, 1},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(RowBlocks(c.steps, c.held_per_row, c.num_threads).BlocksOf(c.rows), c.blocks) << c.name;
  }
  EXPECT_EQ(RowBlocks().BlocksOf(1000), 1);
  EXPECT_EQ(RowBlocks(3).BlocksOf(3), 1);
  EXPECT_EQ(RowBlocks(3).BlocksOf(7), 3);
}

// Two outputs, one of them i32, of an input with rows and one without; table rows by index.
Graph TestGraph(bool rows) {
  GraphBuilder b;
  b.Symbolic(1, 1000);
  const ValueId x = b.Input("x", {Dim::TimesB(2), 5, 8}, DType::kF32, rows);
  const ValueId ids = b.Input("ids", {Dim::TimesB(2), 5}, DType::kI32, rows);
  const ValueId shared = b.Input("shared", {5, 8});
  const Attrs error = {{"axis", Dim(0)}, {"mode", std::string("error")}};
  const ValueId sum = b.Node("add", {x, b.Node("gather", {b.RandomConstant({7, 8}), ids}, error, "embed")});
  const ValueId scores = b.Node("sdpa", {sum, sum, b.Node("mul", {sum, shared})}, {{"scale", 0.3}, {"causal", true}});
  b.Output(b.Node("matmul", {scores, b.RandomConstant({8, 9})}), "y", rows);
  b.Output(b.Node("cast", {sum}, {{"to", std::string("i32")}}), "n", rows);
  return b.Build();
}

class RunInBlocks : public testing::Test {
 protected:
  void SetUp() override {
    for (int64_t i = 0; i < ids_.shape().num_elements(); ++i) ids_.data<int32_t>()[i] = static_cast<int32_t>(i * 5 % 7);
  }
  std::unique_ptr<Executor> Make(bool rows, const ExecutorOptions& options) {
    const auto program = Program::Compile(TestGraph(rows));
    EXPECT_TRUE(program.ok()) << program.status();
    auto executor = Executor::Create(*program, options);
    EXPECT_TRUE(executor.ok()) << executor.status();
    return *std::move(executor);
  }
  std::vector<ConstTensorView> Inputs() { return {x_.view(), ids_.view(), shared_.view()}; }

  static constexpr int64_t kRows = 7;
  Tensor x_ = RandomTensor({2 * kRows, 5, 8}, 1);
  Tensor ids_ = Tensor(DType::kI32, {2 * kRows, 5});
  Tensor shared_ = RandomTensor({5, 8}, 2);
};

TEST_F(RunInBlocks, BitsAreThoseOfTheWholeBatch) {
  std::vector<Tensor> whole;
  ASSERT_TRUE(Make(true, {.rows_at_a_time = 1000})->Run(Inputs(), whole).ok());
  for (const int64_t rows_at_a_time : {1, 2, 3, 6}) {
    const auto executor = Make(true, {.max_plans = 1, .rows_at_a_time = rows_at_a_time});
    std::vector<Tensor> outputs;
    ASSERT_TRUE(executor->Run(Inputs(), outputs).ok());
    EXPECT_EQ(BitsDigest(outputs), BitsDigest(whole)) << rows_at_a_time;
    std::vector<TensorView> views;
    for (Tensor& output : outputs) {
      std::memset(output.raw(), -1, output.shape().num_bytes());
      views.push_back({output.dtype(), output.shape(), output.raw()});
    }
    ASSERT_TRUE(executor->RunInto(Inputs(), views).ok());
    EXPECT_EQ(BitsDigest(outputs), BitsDigest(whole)) << "RunInto, " << rows_at_a_time;
  }
}

TEST_F(RunInBlocks, NeedsMemoryForABlockOnlyAndRowsThatAreIndependent) {
  const auto arena_bytes = [&](bool rows, int64_t rows_at_a_time) {
    const auto executor = Make(rows, {.rows_at_a_time = rows_at_a_time});
    std::vector<Tensor> outputs;
    EXPECT_TRUE(executor->Run(Inputs(), outputs).ok());
    const int64_t bytes = executor->arena_bytes();
    // Listing the steps, with the batch's shapes, takes no more.
    const auto steps = executor->step_info(kRows);
    EXPECT_TRUE(steps.ok()) << steps.status();
    EXPECT_EQ(steps->back().outputs[0].dim(0), 2 * kRows);
    EXPECT_EQ(executor->rows_at_a_time(kRows), rows && rows_at_a_time == 2 ? 2 : kRows);
    EXPECT_EQ(executor->arena_bytes(), bytes);
    return bytes;
  };
  EXPECT_LT(arena_bytes(true, 2), arena_bytes(true, 1000) / 2);
  EXPECT_EQ(arena_bytes(false, 2), arena_bytes(false, 1000));
}

TEST_F(RunInBlocks, AnErrorInTheLastBlockIsReportedAndTheNextRunWorks) {
  const auto executor = Make(true, {.rows_at_a_time = 2});
  std::vector<Tensor> expected, outputs;
  ASSERT_TRUE(executor->Run(Inputs(), expected).ok());
  const int32_t index = std::exchange(ids_.data<int32_t>()[69], 7);
  const absl::Status status = executor->Run(Inputs(), outputs);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  // What a step says of a position is about its block: row 6 of the batch here, as two of this axis are one of B.
  EXPECT_EQ(
      status.message(),
      "in rows 5 to 6, counted from 5: node 0 'embed' (gather): index 7 at position [3, 4] of 'indices' is out of "
      "range; expected 0 to 6");
  ids_.data<int32_t>()[69] = index;
  ASSERT_TRUE(executor->Run(Inputs(), outputs).ok());
  EXPECT_EQ(BitsDigest(outputs), BitsDigest(expected));
}

TEST_F(RunInBlocks, AProfileCoversEveryBlock) {
  const auto executor = Make(true, {.rows_at_a_time = 2});
  std::vector<Tensor> outputs;
  std::vector<double> seconds;
  ASSERT_TRUE(executor->RunProfiled(Inputs(), outputs, seconds).ok());
  EXPECT_EQ(seconds.size(), executor->step_info(kRows)->size());
}

TEST(RowBlocks, LeaveTheBitsOfEveryFixture) {
  int cut = 0;
  for (const Fixture& fixture : FindFixtures()) {
    const auto golden = ReadGolden(fixture.golden_path);
    ASSERT_TRUE(golden.ok()) << golden.status();
    const auto program = Program::Load(fixture.json_path);
    ASSERT_TRUE(program.ok()) << program.status();
    if (!(*program)->symbolic()) continue;
    ++cut;
    std::vector<Tensor> outputs[2];
    for (int i : {0, 1}) {
      const auto executor = Executor::Create(*program, {.rows_at_a_time = i == 0 ? 1000 : 1});
      ASSERT_TRUE(executor.ok()) << executor.status();
      ASSERT_TRUE((*executor)->Run(Views(golden->inputs), outputs[i]).ok()) << fixture.name;
    }
    EXPECT_EQ(BitsDigest(outputs[0]), BitsDigest(outputs[1])) << fixture.name;
  }
  EXPECT_GT(cut, 0);
}

}  // namespace
}  // namespace rml
