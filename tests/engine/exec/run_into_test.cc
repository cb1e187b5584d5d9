// Executor::RunInto: memory of the caller's, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "tests/engine/exec/fixtures.h"
#include "tests/engine/graph_builder.h"

namespace rml {
namespace {

using testing::HasSubstr;

class RunInto : public testing::Test {
 protected:
  // Outputs "y" f32[B, 3] and "n" i32[B, 3] of one input "x" f32[B, 3].
  void SetUp() override {
    GraphBuilder b;
    b.Symbolic(1, 100);
    const ValueId x = b.Input("x", {Dim::TimesB(1), 3}, DType::kF32, true);
    b.Output(b.Node("exp", {x}), "y", true);
    b.Output(b.Node("cast", {x}, {{"to", std::string("i32")}}), "n", true);
    auto program = Program::Compile(b.Build());
    ASSERT_TRUE(program.ok()) << program.status();
    auto executor = Executor::Create(*program);
    ASSERT_TRUE(executor.ok()) << executor.status();
    executor_ = *std::move(executor);
    ASSERT_TRUE(executor_->Run({input_.view()}, expected_).ok());
  }

  TensorView Y() { return {DType::kF32, {2, 3}, y_.data()}; }
  TensorView N() { return {DType::kI32, {2, 3}, n_.data()}; }

  std::unique_ptr<Executor> executor_;
  Tensor input_ = RandomTensor({2, 3}, 1);
  std::vector<Tensor> expected_;
  // Four bytes from a multiple of 64 or not: whatever the allocator gives. The last element shows a write past the end.
  std::vector<float> y_ = std::vector<float>(7, -1.0f);
  std::vector<int32_t> n_ = std::vector<int32_t>(7, -1);
};

TEST_F(RunInto, WritesWhereItIsToldAndNothingElse) {
  ASSERT_TRUE(executor_->RunInto({input_.view()}, {Y(), N()}).ok());
  EXPECT_EQ(std::memcmp(y_.data(), expected_[0].raw(), 24), 0);
  EXPECT_EQ(std::memcmp(n_.data(), expected_[1].raw(), 24), 0);
  EXPECT_EQ(y_[6], -1.0f);
  EXPECT_EQ(n_[6], -1);
}

TEST_F(RunInto, NeedsNoMoreThanFourByteAlignment) {
  for (int skip : {0, 1}) {
    y_.assign(7, -1.0f);
    const TensorView y{DType::kF32, {2, 3}, y_.data() + skip};
    ASSERT_TRUE(executor_->RunInto({input_.view()}, {y, N()}).ok());
    EXPECT_EQ(std::memcmp(y.data, expected_[0].raw(), 24), 0) << skip;
    EXPECT_EQ(y_[skip == 0 ? 6 : 0], -1.0f);
  }
}

TEST_F(RunInto, RefusesMemoryThatDoesNotFit) {
  struct Case {
    std::string message;
    std::vector<TensorView> outputs;
  };
  auto* bytes = reinterpret_cast<char*>(y_.data());
  const std::vector<Case> cases = {
      {"the model gives 2 outputs; memory was given for 1", {Y()}},
      {"output 'y' is f32[1, 3]; expected f32[2, 3]", {{DType::kF32, {1, 3}, y_.data()}, N()}},
      {"output 'y' is i32[2, 3]; expected f32[2, 3]; output 'n' is i32[6]; expected i32[2, 3]",
       {{DType::kI32, {2, 3}, y_.data()}, {DType::kI32, {6}, n_.data()}}},
      {"output 'y' is at an address that is no multiple of 4", {{DType::kF32, {2, 3}, bytes + 1}, N()}},
      {"output 'y' shares memory with input 'x'", {{DType::kF32, {2, 3}, input_.raw()}, N()}},
      {"output 'n' shares memory with output 'y'", {Y(), {DType::kI32, {2, 3}, y_.data() + 1}}},
  };
  for (const auto& [message, outputs] : cases) {
    const absl::Status status = executor_->RunInto({input_.view()}, outputs);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_EQ(std::string(status.message()), message);
  }
  EXPECT_EQ(y_, std::vector<float>(7, -1.0f));
  ASSERT_TRUE(executor_->RunInto({input_.view()}, {Y(), N()}).ok()) << "after errors";
}

TEST_F(RunInto, ReportsWrongInputsFirst) {
  const absl::Status status = executor_->RunInto({}, {Y(), N()});
  EXPECT_THAT(std::string(status.message()), HasSubstr("the model takes 1 inputs; got 0"));
}

}  // namespace
}  // namespace rml
