#include "server/service/infer_messages.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "engine/graph/graph_file.h"
#include "tests/server/service/bad_case.h"
#include "tests/server/service/every_input.h"

namespace rml {
namespace {

using inference::ModelInferRequest;

std::string Tensor(const std::string& name, const std::string& type, const std::string& shape,
                   const std::string& contents) {
  return "inputs { name: '" + name + "' datatype: '" + type + "' shape: [" + shape + "] " +
         (contents.empty() ? "" : "contents { " + contents + " } ") + "} ";
}
std::string X(const std::string& type = "FP32", const std::string& shape = "1, 3",
              const std::string& contents = "fp32_contents: [1, 2, 3]") {
  return Tensor("x", type, shape, contents);
}
std::string Ids(const std::string& type = "INT32", const std::string& shape = "2",
                const std::string& contents = "int_contents: [4, 5]") {
  return Tensor("ids", type, shape, contents);
}
std::string S(const std::string& contents = "fp32_contents: 7") { return Tensor("s", "FP32", "", contents); }

// All three inputs without contents, and a buffer for each.
const char kRawX[] = "raw_input_contents: '012345670123' ";
const char kRawIds[] = "raw_input_contents: '\\001\\000\\000\\000\\377\\377\\377\\377' ";
const char kRawS[] = "raw_input_contents: '0123' ";
std::string RawInputs() { return X("FP32", "1, 3", "") + Ids("INT32", "2", "") + S(""); }
std::string Raw() { return RawInputs() + kRawX + kRawIds + kRawS; }

std::string Parameter(const std::string& name, const std::string& value) {
  return "parameters { key: '" + name + "' value { " + value + " } } ";
}

const Program& EveryInput() {
  static const auto* const program = new std::shared_ptr<const Program>(*Program::Compile(*ReadGraph(kEveryInput, "")));
  return **program;
}

class InferMessagesTest : public testing::Test {
 protected:
  absl::StatusOr<CheckedRequest> Check(const std::string& text) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &request_)) << text;
    return CheckInferRequest(request_, {EveryInput(), 8, "m"});
  }

  ModelInferRequest request_;
};

TEST_F(InferMessagesTest, ContentsAreReadInPlaceInTheModelsOrder) {
  const auto checked = Check(S() + Ids() + X());
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(checked->rows, 1);
  EXPECT_THAT(checked->outputs, testing::ElementsAre(0, 1, 2));
  EXPECT_EQ(checked->inputs[0].data, request_.inputs(2).contents().fp32_contents().data());
  EXPECT_EQ(checked->inputs[1].data, request_.inputs(1).contents().int_contents().data());
  EXPECT_EQ(checked->timeout.count(), 0);
  EXPECT_EQ(checked->priority, kDefaultPriority);
}

TEST_F(InferMessagesTest, RawBuffersGoWithTheInputsByOrderAndAreReadInPlace) {
  const auto checked = Check(S("") + X("FP32", "1, 3", "") + Ids("INT32", "2", "") + kRawS + kRawX + kRawIds +
                             "outputs { name: 't' } outputs { name: 'y' }");
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(checked->inputs[0].data, request_.raw_input_contents(1).data());
  EXPECT_EQ(static_cast<const int32_t*>(checked->inputs[1].data)[1], -1);
  EXPECT_THAT(checked->outputs, testing::ElementsAre(2, 0));
}

TEST_F(InferMessagesTest, Int64IsNarrowed) {
  for (const std::string& request :
       {X() + S() + Ids("INT64", "2", "int64_contents: [-2147483648, 2147483647]"),
        X("FP32", "1, 3", "") + Ids("INT64", "2", "") + S("") + kRawX +
            "raw_input_contents: '\\000\\000\\000\\200\\377\\377\\377\\377\\377\\377\\377\\177\\000\\000\\000\\000' " +
            kRawS}) {
    const auto checked = Check(request);
    ASSERT_TRUE(checked.ok()) << checked.status();
    EXPECT_EQ(static_cast<const int32_t*>(checked->inputs[1].data)[0], INT32_MIN);
    EXPECT_EQ(static_cast<const int32_t*>(checked->inputs[1].data)[1], INT32_MAX);
  }
}

TEST_F(InferMessagesTest, NanAndInfinityPass) {
  const auto checked = Check(Ids() + S() + X("FP32", "1, 3", "fp32_contents: [nan, inf, -inf]"));
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_TRUE(std::isnan(static_cast<const float*>(checked->inputs[0].data)[0]));
  EXPECT_EQ(static_cast<const float*>(checked->inputs[0].data)[2], -INFINITY);
}

TEST_F(InferMessagesTest, ParametersThatAreHonoured) {
  for (const char* kind : {"int64_param", "uint64_param"}) {
    const auto checked = Check(Raw() + Parameter("timeout", std::string(kind) + ": 2500") +
                               Parameter("priority", std::string(kind) + ": 1") +
                               Parameter("triton_enable_empty_final_response", "bool_param: true"));
    ASSERT_TRUE(checked.ok()) << checked.status();
    EXPECT_EQ(checked->timeout, std::chrono::microseconds(2500));
    EXPECT_EQ(checked->priority, 1);
  }
  const auto none = Check(Raw() + Parameter("timeout", "int64_param: 0") + Parameter("priority", "uint64_param: 0"));
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(none->timeout.count(), 0);
  EXPECT_EQ(none->priority, kDefaultPriority);
}

TEST_F(InferMessagesTest, Versions) {
  EXPECT_EQ(*ParseVersion("m", ""), 0);
  EXPECT_EQ(*ParseVersion("m", "7"), 7);
  EXPECT_EQ(*ParseVersion("m", "9223372036854775807"), INT64_MAX);
  for (const std::string bad : {"0", "-1", "01", "1.0", "latest", " 1", "1 ", "9223372036854775808", "+1"}) {
    const absl::Status status = ParseVersion("m", bad).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(std::string(status.message()), "model 'm': '" + bad +
                                                 "' is no version; expected a positive integer, or nothing for the "
                                                 "highest that is ready");
    EXPECT_TRUE(status.GetPayload(kBadRequestType));
  }
}

class BadInferRequestTest : public InferMessagesTest, public testing::WithParamInterface<BadCase> {};

TEST_P(BadInferRequestTest, CodeMessageAndField) { ExpectRefusal(GetParam(), Check(GetParam().request).status()); }

const auto kCaseName = [](const auto& test) { return test.param.name; };

INSTANTIATE_TEST_SUITE_P(
    Inputs, BadInferRequestTest,
    testing::Values(
        BadCase{"nothing", "",
                "input 'x' is missing; expected FP32[B, 3]; input 'ids' is missing; expected INT32[2*B]; input 's' is "
                "missing; expected FP32[]",
                "inputs"},
        BadCase{"unknown", X() + Ids() + S() + Tensor("w", "FP32", "", ""),
                "input 'w' is unknown; the model's inputs are 'x', 'ids', 's'", "inputs[3].name"},
        BadCase{"twice", X() + Ids() + S() + X(), "input 'x' is given twice", "inputs[3].name"},
        BadCase{"datatype", X("INT32", "1, 3", "int_contents: [1, 2, 3]") + Ids() + S(),
                "input 'x' has datatype INT32; expected FP32", "inputs[0].datatype"},
        BadCase{"int64_for_fp32", X("INT64", "1, 3", "int64_contents: [1, 2, 3]") + Ids() + S(),
                "input 'x' has datatype INT64; expected FP32", "inputs[0].datatype"},
        BadCase{
            "datatype_that_no_model_takes",
            X("FP16", "1, 3", "") + Ids("INT32", "2", "") + S("") + "raw_input_contents: '012345' " + kRawIds + kRawS,
            "input 'x' has datatype 'FP16'; expected FP32", "inputs[0].datatype"},
        BadCase{"small_integers", X() + Ids("INT8") + S(), "input 'ids' has datatype 'INT8'; expected INT32",
                "inputs[1].datatype"},
        BadCase{"no_datatype", X("") + Ids() + S(), "input 'x' has datatype ''; expected FP32", "inputs[0].datatype"},
        BadCase{"other_list", X("FP32", "1, 3", "int_contents: [1, 2, 3]") + Ids() + S(),
                "input 'x' has datatype FP32 but its content is int_contents; expected FP32", "inputs[0].datatype"},
        BadCase{"list_that_no_model_takes", X("FP32", "1, 3", "bool_contents: true") + Ids() + S(),
                "input 'x' has datatype FP32 but its content is bool_contents; expected FP32", "inputs[0].datatype"},
        BadCase{"several_lists", X("FP32", "1, 3", "fp32_contents: 1 bytes_contents: 'a'") + Ids() + S(),
                "input 'x' has several contents (fp32_contents, bytes_contents); expected one", "inputs[0]"},
        BadCase{"int64_too_large", X() + S() + Ids("INT64", "2", "int64_contents: [1, 2147483648]"),
                "input 'ids' has 2147483648 at element 1; expected a number that fits in INT32",
                "inputs[2].contents.int64_contents"}),
    kCaseName);

INSTANTIATE_TEST_SUITE_P(
    ShapesAndSizes, BadInferRequestTest,
    testing::Values(
        BadCase{"rank", X("FP32", "3") + Ids() + S(), "input 'x' has shape [3]; expected FP32[B, 3]",
                "inputs[0].shape"},
        BadCase{"dim", X("FP32", "1, 4", "fp32_contents: [1, 2, 3, 4]") + Ids() + S(),
                "input 'x' has shape [1, 4]; expected FP32[B, 3]", "inputs[0].shape"},
        BadCase{"one_element_is_no_scalar", X() + Ids() + Tensor("s", "FP32", "1", "fp32_contents: 7"),
                "input 's' has shape [1]; expected FP32[]", "inputs[2].shape"},
        BadCase{"negative", X("FP32", "-1, 3") + Ids() + S(), "input 'x' has shape [-1, 3]; expected FP32[B, 3]",
                "inputs[0].shape"},
        BadCase{"no_rows", X("FP32", "0, 3", "") + Ids() + S(),
                "input 'x' has shape [0, 3], which makes B 0; expected 1 to 8", "inputs[0].shape"},
        BadCase{"too_many_rows",
                X("FP32", "9, 3", "") + Ids("INT32", "2", "") + S("") + "raw_input_contents: '" +
                    std::string(108, 'a') + "' " + kRawIds + kRawS,
                "input 'x' has shape [9, 3], which makes B 9; expected 1 to 8", "inputs[0].shape"},
        BadCase{"rows_disagree", X() + Ids("INT32", "4", "int_contents: [1, 2, 3, 4]") + S(),
                "input 'ids' has shape [4]; expected INT32[2*B] with B = 1, as input 'x' has", "inputs[1].shape"},
        BadCase{"product_overflows",
                X("FP32", "4611686018427387904, 3", "") + Ids("INT32", "2", "") + S("") +
                    "raw_input_contents: '0123' " + kRawIds + kRawS,
                "input 'x' has shape [4611686018427387904, 3], whose size does not fit in 63 bits", "inputs[0].shape"},
        BadCase{"raw_too_short", RawInputs() + "raw_input_contents: '0123' " + kRawIds + kRawS,
                "input 'x' has 4 bytes of raw content; expected 12 for FP32[1, 3]", "raw_input_contents[0]"},
        BadCase{"raw_too_long", RawInputs() + kRawX + kRawIds + "raw_input_contents: '01234' ",
                "input 's' has 5 bytes of raw content; expected 4 for FP32[]", "raw_input_contents[2]"},
        BadCase{"list_too_short", X("FP32", "1, 3", "fp32_contents: [1, 2]") + Ids() + S(),
                "input 'x' has 2 elements; expected 3 for shape [1, 3]", "inputs[0].contents.fp32_contents"},
        BadCase{"no_content", X("FP32", "1, 3", "") + Ids() + S(),
                "input 'x' has 0 elements; expected 3 for shape [1, 3]", "inputs[0].contents"}),
    kCaseName);

INSTANTIATE_TEST_SUITE_P(
    RawAndContents, BadInferRequestTest,
    testing::Values(
        BadCase{"extra_buffers", Raw() + "raw_input_contents: 'more' raw_input_contents: ''",
                "raw_input_contents has 5 buffers; expected 3, one for each input", "raw_input_contents"},
        BadCase{
            "missing_buffers", RawInputs() + kRawX + kRawIds,
            "raw_input_contents has 2 buffers; expected 3, one for each input; input 's' has 0 elements; expected 1 "
            "for shape []",
            "raw_input_contents"},
        BadCase{"both", X() + Ids("INT32", "2", "") + S("") + kRawX + kRawIds + kRawS,
                "input 'x' has contents beside raw_input_contents; expected one of the two for all inputs",
                "inputs[0].contents"},
        BadCase{
            "contents_for_some", X() + Ids("INT32", "2", "") + S("") + "raw_input_contents: '' " + kRawIds + kRawS,
            "input 'x' has contents beside raw_input_contents; expected one of the two for all inputs; input 'x' has "
            "0 elements; expected 3 for shape [1, 3]",
            "inputs[0].contents"}),
    kCaseName);

INSTANTIATE_TEST_SUITE_P(
    OutputsAndParameters, BadInferRequestTest,
    testing::Values(
        BadCase{"unknown_output", Raw() + "outputs { name: 'y' } outputs { name: 'x' }",
                "output 'x' is unknown; the model's outputs are 'y', 'z', 't'", "outputs[1].name"},
        BadCase{"output_twice", Raw() + "outputs { name: 'y' } outputs { name: 'y' }", "output 'y' is asked for twice",
                "outputs[1].name"},
        BadCase{"classification", Raw() + "outputs { name: 'y' " + Parameter("classification", "int64_param: 3") + "}",
                "output 'y' asks for classification, which is not supported",
                "outputs[0].parameters['classification']"},
        BadCase{"output_in_shared_memory",
                Raw() + "outputs { name: 'y' " + Parameter("shared_memory_region", "string_param: 'r'") +
                    Parameter("shared_memory_byte_size", "int64_param: 12") + "}",
                "output 'y' asks for shared memory, which is not supported",
                "outputs[0].parameters['shared_memory_byte_size']"},
        BadCase{
            "input_in_shared_memory",
            "inputs { name: 'x' datatype: 'FP32' shape: [1, 3] " +
                Parameter("shared_memory_region", "string_param: 'r'") + "}" + Ids("INT32", "2", "") + S("") + kRawIds +
                kRawS,
            "input 'x' asks for shared memory, which is not supported; input 'x' has 0 elements; expected 3 for shape "
            "[1, 3]",
            "inputs[0].parameters['shared_memory_region']"},
        BadCase{"parameter_of_an_output", Raw() + "outputs { name: 'y' " + Parameter("mode", "bool_param: true") + "}",
                "output 'y' has the unknown parameter 'mode'", "outputs[0].parameters['mode']"},
        BadCase{
            "sequences",
            Raw() + Parameter("sequence_start", "bool_param: true") + Parameter("sequence_id", "int64_param: 7") +
                Parameter("sequence_end", "bool_param: false"),
            "parameter 'sequence_end' is not supported: no state is kept between requests; parameter 'sequence_id' is "
            "not supported: no state is kept between requests; parameter 'sequence_start' is not supported: no state "
            "is kept between requests",
            "parameters['sequence_end']"},
        BadCase{"unknown_parameter", Raw() + Parameter("beam", "double_param: 0.5"),
                "parameter 'beam' is unknown; expected timeout or priority", "parameters['beam']"},
        BadCase{"timeout_below_zero", Raw() + Parameter("timeout", "int64_param: -1"),
                "parameter 'timeout' is -1; expected microseconds, 0 to 3153600000000000", "parameters['timeout']"},
        BadCase{"timeout_beyond_all_clocks", Raw() + Parameter("timeout", "uint64_param: 18446744073709551615"),
                "parameter 'timeout' is 18446744073709551615; expected microseconds, 0 to 3153600000000000",
                "parameters['timeout']"},
        BadCase{"timeout_as_text", Raw() + Parameter("timeout", "string_param: '5 s'"),
                "parameter 'timeout' is a string; expected microseconds, 0 to 3153600000000000",
                "parameters['timeout']"},
        BadCase{"priority_out_of_bounds", Raw() + Parameter("priority", "uint64_param: 11"),
                "parameter 'priority' is 11; expected 1 (first) to 10, or 0 for 5", "parameters['priority']"},
        BadCase{"priority_without_a_value", Raw() + Parameter("priority", ""),
                "parameter 'priority' is empty; expected 1 (first) to 10, or 0 for 5", "parameters['priority']"},
        BadCase{"mark_that_is_no_bool", Raw() + Parameter("triton_enable_empty_final_response", "double_param: 1"),
                "parameter 'triton_enable_empty_final_response' is a double; expected a bool",
                "parameters['triton_enable_empty_final_response']"}),
    kCaseName);

TEST_F(InferMessagesTest, ManyProblemsStayWithinBounds) {
  std::string request;
  for (int i = 0; i < 300; ++i) request += Parameter("p" + std::to_string(i) + std::string(200, 'x'), "");
  const absl::Status status = Check(request).status();
  EXPECT_LE(status.message().size(), kMaxMessageBytes);
  EXPECT_THAT(std::string(status.message()), testing::ContainsRegex("; and 29[0-9] more$"));
}

}  // namespace
}  // namespace rml
