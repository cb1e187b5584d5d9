// Every allocation of a size that matters, on the way from a file to an answer, fails once; nothing crashes, leaks or stays
// broken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/exec/executor.h"
#include "engine/graph/golden.h"
#include "engine/graph/graph_file.h"
#include "engine/graph/safetensors.h"
#include "tests/engine/exec/fixtures.h"
#include "tests/engine/failing_memory.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/temporary_folder.h"

namespace rml {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

// A bit of everything that takes memory in its own way: packed weights (large enough to be a mapping), convolutions, fused
// groups, views that are copied, a subnormal constant that is flushed, several outputs.
Graph Model() {
  GraphBuilder b;
  b.Symbolic(1, 8);
  const Dim rows = Dim::TimesB(1);
  const ValueId x = b.Input("x", {rows, 160});
  const ValueId ids = b.Input("ids", {rows}, DType::kI32);
  ValueId y = b.Node("matmul", {x, b.RandomConstant({160, 160})}, {}, "fc");
  y = b.Node("relu", {b.Node("add", {y, b.RandomConstant({160})})});
  const ValueId looked_up =
      b.Node("gather", {b.RandomConstant({5, 160}), ids}, {{"axis", Dim(0)}, {"mode", std::string("error")}});
  y = b.Node("mul",
             {b.Node("tanh", {b.Node("add", {y, looked_up})}), b.Constant({160}, std::vector<float>(160, 1e-40f))});
  const ValueId image = b.Node("reshape", {y}, {{"shape", Ints({rows, 4, 5, 8})}});
  const ValueId conv = b.Node("conv2d", {image, b.RandomConstant({4, 4, 3, 3})}, {{"pads", Ints({1, 1, 1, 1})}});
  b.Output(b.Node("transpose", {conv}, {{"perm", Ints({0, 2, 3, 1})}}));
  b.Output(b.Node("softmax", {y}, {{"axis", Dim(1)}}));
  return b.Build();
}

class OutOfMemoryTest : public testing::Test {
 protected:
  OutOfMemoryTest() {
    EXPECT_EQ(WriteGraphFile(Model(), path_), absl::OkStatus());
    inputs_.push_back(RandomTensor({3, 160}, 1));
    inputs_.emplace_back(DType::kI32, Shape{3});
    for (const Tensor& input : inputs_) views_.push_back(input.view());
  }

  // Of the first rows of the inputs.
  absl::Status Run(Executor& executor, int64_t rows, std::vector<Tensor>& outputs) {
    for (ConstTensorView& view : views_) view.shape.set_dim(0, rows);
    return executor.Run(views_, outputs);
  }

  // An executor that has run for two rows.
  std::unique_ptr<Executor> MustCreate() {
    auto executor = Executor::Create(*Program::Load(path_));
    EXPECT_EQ(executor.status(), absl::OkStatus());
    std::vector<Tensor> outputs;
    EXPECT_EQ(Run(**executor, 2, outputs), absl::OkStatus());
    return *std::move(executor);
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.Path("model.json");
  std::vector<Tensor> inputs_;
  std::vector<ConstTensorView> views_;
};

TEST_F(OutOfMemoryTest, ReadingAGraph) {
  const auto messages = ExpectSurvivesAllocationFailures({.run = [&] { return ReadGraphFile(path_).status(); }});
  EXPECT_THAT(messages, Contains("reading a graph file: out of memory"));
  EXPECT_THAT(messages, Contains(StartsWith("reading file 'model.safetensors': out of memory: ")));
}

TEST_F(OutOfMemoryTest, ReadingADamagedGraph) {
  const std::string damaged = folder_.Write("damaged.json", FileBytes(path_).replace(400, 1, "\x01"));
  ExpectSurvivesAllocationFailures({.run = [&]() -> absl::Status {
    const absl::Status status = ReadGraphFile(damaged).status();
    return absl::IsInvalidArgument(status) ? absl::OkStatus() : status;
  }});
}

TEST_F(OutOfMemoryTest, ReadingSafetensors) {
  const std::string weights = folder_.Path("model.safetensors");
  const auto messages = ExpectSurvivesAllocationFailures({.run = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto file, SafetensorsFile::Open(weights));
    return ToTensor(*file->Find("c2")).status();
  }});
  EXPECT_THAT(messages, Contains("reading a safetensors file: out of memory"));
  EXPECT_THAT(messages, Contains("tensor 'c2': out of memory: 102400 bytes cannot be had"));
}

TEST_F(OutOfMemoryTest, ReadingAGoldenFile) {
  const std::string path = folder_.Path("golden.safetensors");
  ASSERT_EQ(WriteSafetensors(path, {{"input.0", views_[0]}, {"output.0", views_[1]}}), absl::OkStatus());
  ExpectSurvivesAllocationFailures({.run = [&] { return ReadGolden(path).status(); }});
}

TEST_F(OutOfMemoryTest, WritingAGraphLeavesTheOldOne) {
  const Graph graph = Model();
  const std::string before = FileBytes(path_);
  const auto check = [&] {
    const bool whole = FileBytes(path_) == before && folder_.NumFiles() == 2;
    return whole ? ReadGraphFile(path_).status() : absl::InternalError("other files are left");
  };
  ExpectSurvivesAllocationFailures({.run = [&] { return WriteGraphFile(graph, path_); }, .after = check, .stride = 7});
}

TEST_F(OutOfMemoryTest, LoadingAProgram) {
  const auto messages = ExpectSurvivesAllocationFailures({.run = [&] { return Program::Load(path_).status(); }});
  EXPECT_THAT(messages, Contains("compiling the model: out of memory"));
  EXPECT_THAT(messages, Contains("node 0 'fc' (matmul): packing a matrix of [160, 160]: "
                                 "out of memory: 102400 bytes cannot be had"));
  EXPECT_THAT(messages, Contains(MatchesRegex("constant 'c[0-9]+': out of memory: 640 bytes cannot be had")));
}

TEST_F(OutOfMemoryTest, LoadingAProgramUnfused) {
  ExpectSurvivesAllocationFailures({.run = [&] { return Program::Load(path_, {.fuse = false}).status(); }});
}

TEST_F(OutOfMemoryTest, CreatingAnExecutor) {
  const auto program = Program::Load(path_);
  ASSERT_TRUE(program.ok()) << program.status();
  const auto messages = ExpectSurvivesAllocationFailures({.run = [&] { return Executor::Create(*program).status(); }});
  EXPECT_THAT(messages, Contains("making an executor: out of memory"));
  EXPECT_THAT(messages, Contains(StartsWith("working memory for 1 row: out of memory: ")));
}

TEST_F(OutOfMemoryTest, TheFirstRun) {
  const auto program = Program::Load(path_);
  ASSERT_TRUE(program.ok()) << program.status();
  const auto messages = ExpectSurvivesAllocationFailures({.run = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto executor, Executor::Create(*program));
    std::vector<Tensor> outputs;
    return Run(*executor, 3, outputs);
  }});
  EXPECT_THAT(messages, Contains("running the model: out of memory"));
  EXPECT_THAT(messages, Contains(StartsWith("working memory for 3 rows: out of memory: ")));
  EXPECT_THAT(messages, Contains("output 'y1' of shape [3, 160]: out of memory: 1920 bytes cannot be had"));
}

// An executor that failed for one row count answers for that it knew, then also for the one that failed.
TEST_F(OutOfMemoryTest, AnExecutorStaysUsable) {
  std::vector<Tensor> two, three;
  ASSERT_EQ(Run(*MustCreate(), 2, two), absl::OkStatus());
  ASSERT_EQ(Run(*MustCreate(), 3, three), absl::OkStatus());
  const std::string want_two = BitsDigest(two), want_three = BitsDigest(three);
  for (int64_t good = 0;; ++good) {
    const std::unique_ptr<Executor> executor = MustCreate();
    std::vector<Tensor> outputs;
    FailingMemory::FailAfter(good, FailingMemory::Mode::kForever);
    const absl::Status status = Run(*executor, 3, outputs);
    if (!FailingMemory::Stop()) break;
    ASSERT_TRUE(absl::IsResourceExhausted(status)) << status << " after " << good << " allocations";
    ASSERT_EQ(Run(*executor, 2, outputs), absl::OkStatus());
    ASSERT_EQ(BitsDigest(outputs), want_two) << good << " allocations";
    ASSERT_EQ(Run(*executor, 3, outputs), absl::OkStatus());
    ASSERT_EQ(BitsDigest(outputs), want_three) << good << " allocations";
    ASSERT_EQ(Run(*executor, 2, outputs), absl::OkStatus());
    ASSERT_EQ(BitsDigest(outputs), want_two) << good << " allocations";
  }
}

TEST_F(OutOfMemoryTest, ListingTheSteps) {
  const auto executor = MustCreate();
  ExpectSurvivesAllocationFailures({.run = [&] { return executor->step_info(2).status(); }});
}

}  // namespace
}  // namespace rml
