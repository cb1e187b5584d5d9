#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "engine/graph/graph_file.h"
#include "server/service/run_messages.h"
#include "tests/server/service/bad_case.h"
#include "tests/server/service/every_input.h"

namespace rml {
namespace {

constexpr char kX[] = "inputs { name: 'x' shape: [1, 3] f32: [1, 2, 3] } ";
constexpr char kIds[] = "inputs { name: 'ids' shape: 2 i32: [4, 5] } ";
constexpr char kS[] = "inputs { name: 's' f32: 7 } ";

class RequestCheckTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto graph = ReadGraph(kEveryInput, "");
    ASSERT_TRUE(graph.ok()) << graph.status();
    auto compiled = Program::Compile(*std::move(graph));
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    program_ = *compiled;
  }
  static void TearDownTestSuite() { program_.reset(); }

  absl::StatusOr<CheckedRequest> Check(const std::string& text) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &request_)) << text;
    return CheckRequest(request_.inputs(), request_.outputs(), {*program_, max_rows_, "m"});
  }

  static std::shared_ptr<const Program> program_;
  int64_t max_rows_ = 8;
  v1::RunRequest request_;
};
std::shared_ptr<const Program> RequestCheckTest::program_;

TEST_F(RequestCheckTest, FewerRowsThanTheModelTakes) {
  max_rows_ = 1;
  EXPECT_TRUE(Check(std::string(kS) + kIds + kX).ok());
  const char* two =
      "inputs { name: 'x' shape: [2, 3] f32: [1, 2, 3, 4, 5, 6] } "
      "inputs { name: 'ids' shape: 4 i32: [4, 5, 6, 7] } ";
  EXPECT_EQ(Check(std::string(kS) + two).status().message(),
            "m: input 'x' has shape [2, 3], which makes B 2; expected 1 to 1");
}

TEST_F(RequestCheckTest, ListsAreReadInPlaceInTheModelsOrder) {
  const auto checked = Check(std::string(kS) + kIds + kX);
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(checked->rows, 1);
  EXPECT_TRUE(checked->lists);
  EXPECT_THAT(checked->outputs, testing::ElementsAre(0, 1, 2));
  EXPECT_EQ(checked->inputs[0].data, request_.inputs(2).f32().data());
  EXPECT_EQ(checked->inputs[1].data, request_.inputs(1).i32().data());
  EXPECT_EQ(checked->inputs[0].shape, (Shape{1, 3}));
}

TEST_F(RequestCheckTest, RawIsReadInPlace) {
  const auto checked = Check(R"(inputs { name: 'x' dtype: F32 shape: [2, 3] raw: '012345670123456701234567' }
                                inputs { name: 'ids' dtype: I32 shape: 4 raw: '0123456701234567' }
                                inputs { name: 's' dtype: F32 raw: '0123' } outputs: ['t', 'y'])");
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(checked->rows, 2);
  EXPECT_FALSE(checked->lists);
  EXPECT_THAT(checked->outputs, testing::ElementsAre(2, 0));
  EXPECT_EQ(checked->inputs[0].data, request_.inputs(0).raw().data());
}

TEST_F(RequestCheckTest, I64IsNarrowed) {
  for (const char* ids : {"i64: [-2147483648, 2147483647]", "dtype: I64 i64: [-2147483648, 2147483647]",
                          R"(dtype: I64 raw: '\000\000\000\200\377\377\377\377\377\377\377\177\000\000\000\000')"}) {
    const auto checked = Check(std::string(kX) + kS + "inputs { name: 'ids' shape: 2 " + ids + "}");
    ASSERT_TRUE(checked.ok()) << checked.status();
    const auto* data = static_cast<const int32_t*>(checked->inputs[1].data);
    EXPECT_EQ(data[0], std::numeric_limits<int32_t>::min());
    EXPECT_EQ(data[1], std::numeric_limits<int32_t>::max());
  }
}

TEST_F(RequestCheckTest, NanAndInfinityPass) {
  const auto checked = Check(std::string(kIds) + kS + "inputs { name: 'x' shape: [1, 3] f32: [nan, inf, -inf] }");
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_TRUE(std::isnan(static_cast<const float*>(checked->inputs[0].data)[0]));
}

std::string X(const std::string& body) { return std::string(kIds) + kS + "inputs { name: 'x' " + body + " }"; }
std::string Ids(const std::string& body) { return std::string(kX) + kS + "inputs { name: 'ids' " + body + " }"; }

class BadRequestTest : public RequestCheckTest, public testing::WithParamInterface<BadCase> {};

TEST_P(BadRequestTest, CodeMessageAndField) { ExpectRefusal(GetParam(), Check(GetParam().request).status()); }

INSTANTIATE_TEST_SUITE_P(
    Inputs, BadRequestTest,
    testing::Values(
        BadCase{"missing_input", std::string(kX) + kS, "input 'ids' is missing; expected i32[2*B]", "inputs"},
        BadCase{"nothing", "",
                "input 'x' is missing; expected f32[B, 3]; input 'ids' is missing; expected i32[2*B]; input 's' is "
                "missing; "
                "expected f32[]",
                "inputs"},
        BadCase{"extra_input", std::string(kX) + kIds + kS + "inputs { name: 'w' }",
                "input 'w' is unknown; the model's inputs are 'x', 'ids', 's'", "inputs[3].name"},
        BadCase{"duplicate_input", std::string(kX) + kIds + kS + kX, "input 'x' is given twice", "inputs[3].name"},
        BadCase{"long_name", std::string(kX) + kIds + kS + "inputs { name: '" + std::string(5000, 'n') + "' }",
                "input '" + std::string(60, 'n') + "...' is unknown; the model's inputs are 'x', 'ids', 's'",
                "inputs[3].name"},
        BadCase{
            "several_problems", std::string(kX) + "inputs { name: 'w' } inputs { name: 's' i32: 1 } outputs: 'q'",
            "input 'w' is unknown; the model's inputs are 'x', 'ids', 's'; input 'ids' is missing; expected i32[2*B]; "
            "output 'q' is unknown; the model's outputs are 'y', 'z', 't'; input 's' has dtype i32; expected f32",
            "outputs[0]"}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Types, BadRequestTest,
    testing::Values(
        BadCase{"wrong_list", X("shape: [1, 3] i32: [1, 2, 3]"), "input 'x' has dtype i32; expected f32",
                "inputs[2].dtype"},
        BadCase{"wrong_dtype", X("dtype: I32 shape: [1, 3] raw: '012345670123'"),
                "input 'x' has dtype i32; expected f32", "inputs[2].dtype"},
        BadCase{"i64_for_f32", X("shape: [1, 3] i64: [1, 2, 3]"), "input 'x' has dtype i64; expected f32",
                "inputs[2].dtype"},
        BadCase{"f32_for_i32", Ids("shape: 2 f32: [1, 2]"), "input 'ids' has dtype f32; expected i32",
                "inputs[2].dtype"},
        BadCase{"dtype_and_list_disagree", X("dtype: F32 shape: [1, 3] i32: [1, 2, 3]"),
                "input 'x' has dtype f32 but its content is a list of i32; expected f32", "inputs[2].dtype"},
        BadCase{"raw_without_dtype", X("shape: [1, 3] raw: '012345670123'"),
                "input 'x' has raw content without a dtype; expected f32", "inputs[2].dtype"},
        BadCase{"unknown_dtype", X("dtype: 99 shape: [1, 3] raw: '012345670123'"),
                "input 'x' has dtype number 99; expected f32", "inputs[2].dtype"},
        BadCase{"two_contents", X("dtype: F32 shape: [1, 3] raw: '012345670123' f32: [1, 2, 3]"),
                "input 'x' has several contents (raw, f32); expected one", "inputs[2]"},
        BadCase{"i64_too_large", Ids("shape: 2 i64: [1, 2147483648]"),
                "input 'ids' has 2147483648 at element 1; expected a number that fits in i32", "inputs[2].i64"},
        BadCase{"i64_too_small", Ids("dtype: I64 shape: 2 raw: '\\000\\000\\000\\000\\000\\000\\000\\200aaaaaaaa'"),
                "input 'ids' has -9223372036854775808 at element 0; expected a number that fits in i32",
                "inputs[2].raw"}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Shapes, BadRequestTest,
    testing::Values(
        BadCase{"no_shape", X("f32: [1, 2, 3]"), "input 'x' has shape []; expected f32[B, 3]", "inputs[2].shape"},
        BadCase{"wrong_rank", X("shape: 3 f32: [1, 2, 3]"), "input 'x' has shape [3]; expected f32[B, 3]",
                "inputs[2].shape"},
        BadCase{"wrong_dim", X("shape: [1, 4] f32: [1, 2, 3, 4]"), "input 'x' has shape [1, 4]; expected f32[B, 3]",
                "inputs[2].shape"},
        BadCase{"scalar_expected", std::string(kX) + kIds + "inputs { name: 's' shape: 1 f32: 7 }",
                "input 's' has shape [1]; expected f32[]", "inputs[2].shape"},
        BadCase{"negative_dim", X("shape: [-1, 3] f32: [1, 2, 3]"), "input 'x' has shape [-1, 3]; expected f32[B, 3]",
                "inputs[2].shape"},
        BadCase{"two_negative_dims", X("shape: [-1, -3] f32: [1, 2, 3]"),
                "input 'x' has shape [-1, -3]; expected f32[B, 3]", "inputs[2].shape"},
        BadCase{"zero_rows", X("shape: [0, 3]"), "input 'x' has shape [0, 3], which makes B 0; expected 1 to 8",
                "inputs[2].shape"},
        BadCase{"too_many_rows", X("dtype: F32 shape: [9, 3] raw: '" + std::string(108, 'a') + "'"),
                "input 'x' has shape [9, 3], which makes B 9; expected 1 to 8", "inputs[2].shape"},
        BadCase{"not_a_multiple", Ids("shape: 3 i32: [1, 2, 3]"), "input 'ids' has shape [3]; expected i32[2*B]",
                "inputs[2].shape"},
        BadCase{"rows_disagree", Ids("shape: 4 i32: [1, 2, 3, 4]"),
                "input 'ids' has shape [4]; expected i32[2*B] with B = 1, as input 'x' has", "inputs[2].shape"},
        BadCase{"product_overflows", X("dtype: F32 shape: [4611686018427387904, 3] raw: '0123'"),
                "input 'x' has shape [4611686018427387904, 3], whose size does not fit in 63 bits", "inputs[2].shape"},
        BadCase{"hundred_dims", X([] {
                  std::string shape = "shape: [1";
                  for (int i = 1; i < 100; ++i) shape += ", 1";
                  return shape + "] f32: 1";
                }()),
                "input 'x' has shape [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ... (100)]; expected f32[B, 3]",
                "inputs[2].shape"}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Sizes, BadRequestTest,
    testing::Values(BadCase{"raw_too_short", X("dtype: F32 shape: [1, 3] raw: '01234567'"),
                            "input 'x' has 8 bytes of raw content; expected 12 for f32[1, 3]", "inputs[2].raw"},
                    BadCase{"raw_too_long", X("dtype: F32 shape: [1, 3] raw: '0123456701234'"),
                            "input 'x' has 13 bytes of raw content; expected 12 for f32[1, 3]", "inputs[2].raw"},
                    BadCase{"i64_raw_counts_eight_bytes", Ids("dtype: I64 shape: 2 raw: '01234567'"),
                            "input 'ids' has 8 bytes of raw content; expected 16 for i64[2]", "inputs[2].raw"},
                    BadCase{"list_too_short", X("shape: [1, 3] f32: [1, 2]"),
                            "input 'x' has 2 elements; expected 3 for shape [1, 3]", "inputs[2].f32"},
                    BadCase{"list_too_long", Ids("shape: 2 i32: [1, 2, 3]"),
                            "input 'ids' has 3 elements; expected 2 for shape [2]", "inputs[2].i32"},
                    BadCase{"no_content", X("dtype: F32 shape: [1, 3]"),
                            "input 'x' has 0 elements; expected 3 for shape [1, 3]", "inputs[2].raw"},
                    BadCase{"rows_without_content", X("shape: [8, 3]"),
                            "input 'x' has 0 elements; expected 24 for shape [8, 3]", "inputs[2].raw"}),
    [](const auto& test) { return test.param.name; });

const std::string kInputs = std::string(kX) + kIds + kS;
INSTANTIATE_TEST_SUITE_P(
    Outputs, BadRequestTest,
    testing::Values(BadCase{"unknown_output", kInputs + "outputs: ['y', 'x']",
                            "output 'x' is unknown; the model's outputs are 'y', 'z', 't'", "outputs[1]"},
                    BadCase{"duplicate_output", kInputs + "outputs: ['y', 'z', 'y']", "output 'y' is asked for twice",
                            "outputs[2]"},
                    BadCase{"empty_output", kInputs + "outputs: ''",
                            "output '' is unknown; the model's outputs are 'y', 'z', 't'", "outputs[0]"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace rml
