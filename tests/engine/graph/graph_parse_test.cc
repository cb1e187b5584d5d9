#include "engine/graph/graph_parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <string>
#include <vector>

#include "engine/graph/graph_file.h"
#include "tests/engine/graph/model_text.h"

namespace rml {
namespace {

using testing::HasSubstr;

TEST(GraphParse, ReadsAWholeModel) {
  const auto graph = ReadGraph(kModelJson, ModelWeights());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->producer, "a test");
  EXPECT_TRUE(graph->symbolic);
  EXPECT_EQ(graph->min_rows, 1);
  EXPECT_EQ(graph->max_rows, 64);
  ASSERT_EQ(graph->values.size(), 6u);
  EXPECT_EQ(graph->values[0].shape, (std::vector<Dim>{Dim::TimesB(1), 3}));
  ASSERT_EQ(graph->inputs.size(), 1u);
  EXPECT_TRUE(graph->inputs[0].row_independent);
  ASSERT_EQ(graph->constants.size(), 2u);
  EXPECT_EQ(static_cast<const float*>(graph->constants[0].data)[2], 3);
  EXPECT_EQ(static_cast<const float*>(graph->constants[1].data)[0], 0.5f);
  ASSERT_EQ(graph->nodes.size(), 3u);
  EXPECT_EQ(graph->nodes[1].name, "layer/add");
  EXPECT_EQ(graph->NodeLabel(1), "node 1 'layer/add' (add)");
  ASSERT_EQ(graph->outputs.size(), 1u);
  EXPECT_EQ(graph->outputs[0].name, "y");
}

TEST(GraphParse, AttributesKeepTheirOrderAndType) {
  const auto graph = ReadGraph(ModelWith(R"({"min":0.0,"max":6})", R"({"z":1,"a":1.0,"s":"none","t":true,)"
                                                                   R"("b":"64*B","list":[-1,"B",3],"empty":[]})"),
                               ModelWeights());
  ASSERT_TRUE(graph.ok()) << graph.status();
  const Attrs want = {{"z", Dim(1)},
                      {"a", 1.0},
                      {"s", std::string("none")},
                      {"t", true},
                      {"b", Dim::TimesB(64)},
                      {"list", std::vector<Dim>{-1, Dim::TimesB(1), 3}},
                      {"empty", std::vector<Dim>{}}};
  EXPECT_EQ(graph->nodes[2].attrs, want);
}

TEST(GraphParse, InlineIntegers) {
  std::string model = ModelWith(R"({"id":2,"dtype":"f32","shape":[],"data":[0.5]})",
                                R"({"id":2,"dtype":"i32","shape":[2],"data":[-2147483648,2147483647]})");
  const auto graph = ReadGraph(model, ModelWeights());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(static_cast<const int32_t*>(graph->constants[1].data)[0], INT_MIN);
  EXPECT_EQ(static_cast<const int32_t*>(graph->constants[1].data)[1], INT_MAX);
}

struct BadModel {
  const char* name;
  const char* text;         // of kModelJson
  const char* replacement;  // that makes it wrong
  const char* message;      // part of the error
};

void PrintTo(const BadModel& c, std::ostream* out) { *out << c.name; }

class BadModelTest : public testing::TestWithParam<BadModel> {};

TEST_P(BadModelTest, IsRefusedWithPlaceExpectedAndGot) {
  const auto graph = ReadGraph(ModelWith(GetParam().text, GetParam().replacement), ModelWeights());
  ASSERT_FALSE(graph.ok());
  EXPECT_THAT(std::string(graph.status().message()), HasSubstr(GetParam().message));
  EXPECT_LT(graph.status().message().size(), 1000u);
}

// Lists of any length make no long message.
TEST(GraphParse, LongListsAreCutInMessages) {
  std::string ones = "1";
  for (int i = 0; i < 1000; ++i) ones += ",1";
  const std::string list = "\"shape\":[" + ones + "]";
  for (const char* shape : {R"("shape":["B",3])", R"("shape":[3])", R"("shape":[])"}) {
    const std::string json = ModelWith(shape, list.c_str());
    ASSERT_THAT(json, HasSubstr(list)) << shape;
    const auto graph = ReadGraph(json, ModelWeights());
    ASSERT_FALSE(graph.ok());
    EXPECT_THAT(std::string(graph.status().message()), HasSubstr("[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ... (1001)]"));
    EXPECT_LT(graph.status().message().size(), 300u);
  }
}

const BadModel kHead[] = {
    {"NoFormat", R"("format":"rml-graph",)", "", "top level: 'format' is missing; expected a string"},
    {"OtherFormat", R"("rml-graph")", R"("onnx")", R"('format' is '"onnx"'; expected 'rml-graph')"},
    {"NoVersion", R"("version":1,)", "", "'version' is missing"},
    {"NewerVersion", R"("version":1)", R"("version":2)", "version is 2; this reader knows version 1"},
    {"FractionalVersion", R"("version":1)", R"("version":1.0)", "'version' is '1.0'; expected an integer"},
    {"UnknownKeys", R"("producer":"a test",)", R"("flavour":1,"color":2,)",
     "top level: unknown key 'flavour', 'color'; expected format, version"},
    {"ProducerNoString", R"("a test")", "7", "'producer' is '7'; expected a string"},
    {"ProducerEscape", R"("a test")", R"("a\u001b[31m")",
     "top level: 'producer' is '\"a\\u001b[31m\"'; expected a string"},
    {"ProducerC1", R"("a test")", R"("a\u009b31m")",
     "'producer' is '\"a\\xc2\\x9b31m\"'; expected a string of printable"},
    {"OtherSymbol", R"({"B":{)", R"({"T":{)", "symbols: unknown key 'T'; expected B"},
    {"SymbolsNoObject", R"({"B":{"min":1,"max":64}})", "[]", "'symbols' is '[]'; expected an object"},
    {"BoundsReversed", R"("min":1,"max":64)", R"("min":65,"max":64)",
     "symbols.B: 'max' is '64'; expected an integer from 65"},
    {"NoRows", R"("min":1)", R"("min":0)", "symbols.B: 'min' is '0'; expected an integer from 1"},
    {"NoNodes", "\"nodes\":[\n", "\"nodes\":3,\"x\":[\n", "unknown key 'x'"},
    {"Checksum", R"("symbols")", R"("weights":{"bytes":75,"crc32":"00000000"},"symbols")", "crc32 is "},
    {"ByteCount", R"("symbols")", R"("weights":{"bytes":7,"crc32":"00000000"},"symbols")", "expected 7"},
    {"WeightsKey", R"("symbols")", R"("weights":{"bytes":7,"md5":"0"},"symbols")", "weights: unknown key 'md5'"},
    {"DuplicateKey", R"("version":1,)", R"("version":1,"version":1,)", "key 'version' is given twice"},
    {"NaNToken", "0.5", "NaN", "not valid JSON at byte"},
    {"InfinityToken", "0.5", "-Infinity", "not valid JSON at byte"},
    {"HugeNumber", "0.5", "1e999", "not valid JSON at byte"},
    {"Depth", R"("a test")", "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]", "nested deeper than 16 levels"},
};
INSTANTIATE_TEST_SUITE_P(Head, BadModelTest, testing::ValuesIn(kHead), testing::PrintToStringParamName());

const BadModel kValues[] = {
    {"UnknownInputKey", R"("rows":true})", R"("row":true})", "inputs[0]: unknown key 'row'"},
    {"InputNameWithLineFeed", R"("name":"x")", R"("name":"x\ny")",
     "inputs[0]: 'name' is '\"x\\ny\"'; expected a string of"},
    {"InputNameThatRunsBackwards", R"("name":"x")", R"("name":"x\u202e")", "inputs[0]: 'name' is"},
    {"InputNoObject", R"({"id":0,"name":"x","dtype":"f32","shape":["B",3],"rows":true})", "5",
     "inputs[0] is '5'; expected an object"},
    {"RowsNoBool", R"("rows":true})", R"("rows":1})", "inputs[0]: 'rows' is '1'; expected true or false"},
    {"UnknownDType", R"("x","dtype":"f32")", R"("x","dtype":"f64")", R"('dtype' is '"f64"'; expected 'f32' or 'i32')"},
    {"NegativeId", R"("id":0)", R"("id":-1)", "'id' is '-1'; expected an integer from 0"},
    {"HugeId", R"("id":0)", R"("id":4294967296)", "'id' is '4294967296'"},
    {"FractionalId", R"("id":0)", R"("id":0.0)", "'id' is '0.0'; expected an integer"},
    {"GapInIds", R"({"id":5,"dtype")", R"({"id":7,"dtype")", "values 5, 6 are not defined"},
    {"DefinedTwice", R"({"id":4,"dtype")", R"({"id":3,"dtype")", "values[1]: value 3 is defined twice"},
    {"OtherSymbolInShape", R"("shape":["B",3],"rows")", R"("shape":["T",3],"rows")",
     R"(inputs[0]: 'shape': '"T"'; expected an integer, "B" or "64*B")"},
    {"ZeroTimesB", R"("shape":["B",3],"rows")", R"("shape":["0*B",3],"rows")", "'\"0*B\"'; expected"},
    {"OddTimesB", R"("shape":["B",3],"rows")", R"("shape":["+2*B",3],"rows")", "'\"+2*B\"'; expected"},
    {"SpacedTimesB", R"("shape":["B",3],"rows")", R"("shape":[" 2*B",3],"rows")", "'\" 2*B\"'; expected"},
    {"FractionalDim", R"("shape":["B",3],"rows")", R"("shape":["B",3.0],"rows")", "'3.0'; expected an integer"},
    {"NegativeDim", R"("shape":["B",3],"rows")", R"("shape":["B",-3],"rows")", "negative dimension"},
    {"DimBeyond64Bits", R"("shape":["B",3],"rows")", R"("shape":[18446744073709551615],"rows")", "expected an integer"},
    {"ElementsOverflow", R"("shape":["B",3],"rows")", R"("shape":[1099511627776,1099511627776],"rows")",
     "more bytes than 63 bits"},
    {"ProductWrapsToZero", R"("shape":["B",3],"rows")", R"("shape":[4294967296,4294967296],"rows")",
     "more bytes than 63 bits"},
    {"OverflowBehindZero", R"("shape":["B",3],"rows")", R"("shape":[0,1099511627776,1099511627776],"rows")",
     "more bytes than 63 bits"},
    {"DimLimit", R"("shape":["B",3],"rows")", R"("shape":["1099511627776*B"],"rows")", "dim above the limit"},
    {"Rank9", R"("shape":["B",3],"rows")", R"("shape":[1,1,1,1,1,1,1,1,1],"rows")", "has rank 9; expected at most 8"},
    {"BWithoutSymbols", "\"symbols\":{\"B\":{\"min\":1,\"max\":64}},\n", "", "uses B; 'symbols' does not define it"},
};
INSTANTIATE_TEST_SUITE_P(Values, BadModelTest, testing::ValuesIn(kValues), testing::PrintToStringParamName());

const BadModel kConstants[] = {
    {"NotStored", R"("name":"w")", R"("name":"v")", "not in the weights file: constants 'v'"},
    {"OtherShape", R"("shape":[3]})", R"("shape":[1,3]})",
     "constant 'w' is F32[3] in the weights file; expected F32[1, 3]"},
    {"OtherDType", R"("name":"w","dtype":"f32")", R"("name":"w","dtype":"i32")",
     "is F32[3] in the weights file; expected I32"},
    {"Unread", R"({"id":1,"name":"w","dtype":"f32","shape":[3]})", R"({"id":1,"dtype":"f32","shape":[1],"data":[1]})",
     "the weights file has tensors that the graph does not name: 'w'"},
    {"Symbolic", R"("shape":[3]})", R"("shape":["B"]})", "a constant does not grow with B"},
    {"NameAndData", R"("shape":[],"data")", R"("shape":[],"name":"z","data")", "expected either 'name'"},
    {"NeitherNameNorData", R"("shape":[],"data":[0.5])", R"("shape":[])", "constants[1]: expected either 'name'"},
    {"TooManyElements", R"("shape":[],"data":[0.5])",
     R"("shape":[17],"data":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17])", "expected as many as the shape, at most 16"},
    {"TooFewElements", R"("shape":[],"data":[0.5])", R"("shape":[2],"data":[1])",
     "'data' has 1 elements for shape [2]"},
    {"BeyondF32", "0.5", "1e39", "expected finite numbers in the range of f32"},
    {"StringData", "0.5", "\"0.5\"", "expected finite numbers"},
    {"FractionInI32", R"("id":2,"dtype":"f32")", R"("id":2,"dtype":"i32")", "expected integers in the range of i32"},
    {"InlineShapeOverflows", R"("shape":[],"data")", R"("shape":[4294967296,4294967296],"data")", "63 bits"},
    {"InlineRank9", R"("shape":[],"data")", R"("shape":[1,1,1,1,1,1,1,1,1],"data")", "rank 9"},
};
INSTANTIATE_TEST_SUITE_P(Constants, BadModelTest, testing::ValuesIn(kConstants), testing::PrintToStringParamName());

const BadModel kNodes[] = {
    {"UnknownKey", R"("op":"mul")", R"("op":"mul","domain":"")", "nodes[0]: unknown key 'domain'"},
    {"NoOp", R"("op":"mul",)", "", "nodes[0]: 'op' is missing"},
    {"InputsNoList", R"("in":[0,1])", R"("in":0)", "nodes[0]: 'in' is '0'; expected a list"},
    {"InputNoId", R"("in":[0,1])", R"("in":[0,"w"])", "expected a list of value ids"},
    {"InputOutOfRange", R"("in":[0,1])", R"("in":[0,6])", "node 0 (mul): reads value 6; there are 6"},
    {"ForwardReference", R"("in":[0,1])", R"("in":[0,4])", "node 0 (mul): reads value 4 before a node defines it"},
    {"Cycle", R"("in":[3,2])", R"("in":[4,2])", "node 1 'layer/add' (add): reads value 4 before"},
    {"OutputTwice", R"("out":[4])", R"("out":[3])", "value 3 is defined twice, once as a node's output"},
    {"OutputIsInput", R"("out":[4])", R"("out":[0])", "value 0 is defined twice"},
    {"NoOutputs", R"("out":[4])", R"("out":[])", "node 1 'layer/add' (add): has no outputs"},
    {"NullAttr", R"("max":6})", R"("max":null})", "nodes[2]: attribute 'max': is 'null'; expected a number"},
    {"ObjectAttr", R"("max":6})", R"("max":{}})", "nodes[2]: attribute 'max'"},
    {"FloatsInList", R"("max":6})", R"("max":[0.5]})", "nodes[2]: attribute 'max': '0.5'; expected an integer"},
    {"DuplicateAttr", R"("max":6})", R"("min":6})", "key 'min' is given twice"},
    {"AttrBeyond64Bits", R"("max":6})", R"("max":9223372036854775808})", "attribute 'max'"},
    {"AttrTimesBOverflows", R"("max":6})", R"("max":"1099511627776*B"})",
     "attribute 'max' is 1099511627776*B; expected"},
};
INSTANTIATE_TEST_SUITE_P(Nodes, BadModelTest, testing::ValuesIn(kNodes), testing::PrintToStringParamName());

const BadModel kOutputs[] = {
    {"OutputIsInput", R"({"id":5,"name":"y")", R"({"id":0,"name":"y")", "output 'y' is an input or a constant"},
    {"OutputIsConstant", R"({"id":5,"name":"y")", R"({"id":2,"name":"y")", "output 'y' is an input or a constant"},
    {"OutOfRange", R"({"id":5,"name":"y")", R"({"id":6,"name":"y")", "output 'y' is value 6; there are 6"},
    {"None", R"({"id":5,"name":"y","rows":true})", "", "the graph has no outputs"},
    {"SameName", R"({"id":5,"name":"y","rows":true})", R"({"id":5,"name":"y"},{"id":4,"name":"y"})",
     "two outputs are named 'y'"},
    {"EmptyName", R"({"id":5,"name":"y")", R"({"id":5,"name":"")", "an output has no name"},
    {"NoName", R"({"id":5,"name":"y")", R"({"id":5)", "outputs[0]: 'name' is missing"},
    {"UnknownKey", R"({"id":5,"name":"y")", R"({"id":5,"name":"y","shape":[])", "outputs[0]: unknown key 'shape'"},
};
INSTANTIATE_TEST_SUITE_P(Outputs, BadModelTest, testing::ValuesIn(kOutputs), testing::PrintToStringParamName());

TEST(GraphParse, SaysEverythingThatIsMissing) {
  std::string model = ModelWith(R"({"id":2,"dtype":"f32","shape":[],"data":[0.5]})",
                                R"({"id":2,"name":"bias","dtype":"f32","shape":[]})");
  const auto empty = ReadGraph(model, SafetensorsBytes("{}"));
  EXPECT_EQ(empty.status().message(), "not in the weights file: constants 'w', 'bias'");
  const auto none = ReadGraph(model, "");
  EXPECT_TRUE(absl::IsNotFound(none.status()));
  EXPECT_EQ(none.status().message(), "there is no weights file; expected constants 'w', 'bias'");
}

TEST(GraphParse, PaddingInTheWeightsMayStayUnread) {
  const std::string weights = SafetensorsBytes(R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},)"
                                               R"("__pad.0":{"dtype":"U8","shape":[52],"data_offsets":[12,64]}})",
                                               std::string(64, '\0'));
  EXPECT_TRUE(ReadGraph(kModelJson, weights).ok());
}

TEST(GraphParse, TheSameValueMayBeTwoOutputs) {
  const auto graph = ReadGraph(
      ModelWith(R"({"id":5,"name":"y","rows":true})", R"({"id":5,"name":"y"},{"id":5,"name":"z"})"), ModelWeights());
  EXPECT_TRUE(graph.ok()) << graph.status();
}

TEST(GraphParse, LimitsAreNamed) {
  const auto nodes = ReadGraph(kModelJson, ModelWeights(), {.max_nodes = 2});
  EXPECT_EQ(nodes.status().message(), "'nodes' has 3 entries; expected at most 2");
  const auto values = ReadGraph(kModelJson, ModelWeights(), {.max_values = 5});
  EXPECT_THAT(std::string(values.status().message()), HasSubstr("expected an integer from 0 to 4"));
  const auto items = ReadGraph(kModelJson, ModelWeights(), {.max_json_items = 20});
  EXPECT_EQ(items.status().message(), "more than 20 values");
}

TEST(GraphParse, LongTextIsCutInMessages) {
  const std::string name(1 << 20, 'n');
  for (const char* text : {"\"op\":\"add\"", "\"format\":\"rml-graph\"", "\"name\":\"w\"", "\"rows\":true"}) {
    const auto graph = ReadGraph(ModelWith(text, "\"" + name + "\":\"" + name + "\""), ModelWeights());
    ASSERT_FALSE(graph.ok());
    EXPECT_LT(graph.status().message().size(), 1000u);
  }
}

}  // namespace
}  // namespace rml
