#include "engine/exec/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/graph_builder.h"

namespace rml {
namespace {

using testing::HasSubstr;

struct BadInput {
  const char* name;
  std::vector<std::pair<DType, Shape>> inputs;
  const char* message;
};

class BadInputTest : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsRefusedByNameWithExpectedAndGot) {
  GraphBuilder b;
  b.Symbolic(2, 8);
  const ValueId x = b.Input("x", {Dim::TimesB(1), 3});
  const ValueId y = b.Input("y", {Dim::TimesB(2)}, DType::kI32);
  b.Output(b.Node("neg", {x})).Output(b.Node("neg", {y}));
  const auto program = Program::Compile(b.Build());
  ASSERT_TRUE(program.ok()) << program.status();
  std::vector<Tensor> inputs;
  for (const auto& [dtype, shape] : GetParam().inputs) inputs.emplace_back(dtype, shape);
  const absl::Status status = (*program)->CheckInputs(Views(inputs)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

constexpr DType kF = DType::kF32;
constexpr DType kI = DType::kI32;
INSTANTIATE_TEST_SUITE_P(
    Program, BadInputTest,
    testing::Values(BadInput{"TooFew", {{kF, {2, 3}}}, "takes 2 inputs; got 1"},
                    BadInput{"DType", {{kI, {2, 3}}, {kI, {4}}}, "input 'x' is i32[2, 3]; expected f32[B, 3]"},
                    BadInput{"Rank", {{kF, {2, 3, 1}}, {kI, {4}}}, "input 'x' is f32[2, 3, 1]; expected f32[B, 3]"},
                    BadInput{"Dim", {{kF, {2, 4}}, {kI, {4}}}, "input 'x' is f32[2, 4]; expected f32[B, 3]"},
                    BadInput{"NoMultiple", {{kF, {2, 3}}, {kI, {5}}}, "input 'y' is i32[5]; expected i32[2*B]"},
                    BadInput{"RowsDiffer", {{kF, {2, 3}}, {kI, {6}}}, "input 'y' has 3 rows but input 'x' has 2"},
                    BadInput{
                        "TooManyRows", {{kF, {9, 3}}, {kI, {18}}}, "input 'x' has 9 rows; expected between 2 and 8"},
                    BadInput{"NoRows", {{kF, {0, 3}}, {kI, {0}}}, "input 'x' is f32[0, 3]; expected f32[B, 3]"},
                    BadInput{"Several", {{kI, {2, 3}}, {kF, {4}}}, "; input 'y' is f32[4]"}),
    [](const auto& test) { return test.param.name; });

TEST(Program, ZeroInputsFitAtEveryRowCount) {
  GraphBuilder b;
  b.Symbolic(2, 8);
  b.Output(b.Node("neg", {b.Input("x", {Dim::TimesB(1), 3})}));
  b.Output(b.Node("neg", {b.Input("y", {4, Dim::TimesB(2)}, DType::kI32)}));
  const auto program = Program::Compile(b.Build());
  ASSERT_TRUE(program.ok()) << program.status();
  for (const int64_t rows : {2, 5, 8}) {
    const std::vector<Tensor> zeros = *(*program)->ZeroInputs(rows);
    const auto checked = (*program)->CheckInputs(Views(zeros));
    ASSERT_TRUE(checked.ok()) << checked.status();
    EXPECT_EQ(*checked, rows);
    EXPECT_THAT(zeros[0].data<float>(), testing::Each(0.0f));
    EXPECT_THAT(zeros[1].data<int32_t>(), testing::Each(0));
  }
}

TEST(Program, RefusesUnknownPassesAndInstructionSets) {
  GraphBuilder b;
  b.Output(b.Node("exp", {b.Input("x", {4})}));
  const auto bad_pass = Program::Compile(b.Build(), {.disabled_passes = {"fuse_everything"}});
  EXPECT_THAT(std::string(bad_pass.status().message()),
              HasSubstr("no pass is named 'fuse_everything'; there are fold_constants, fold_conv_bias"));
  EXPECT_FALSE(Program::Compile(b.Build(), {.isa = "sse9"}).ok());
}

}  // namespace
}  // namespace rml
