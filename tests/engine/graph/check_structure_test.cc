#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "engine/graph/graph_file.h"
#include "tests/engine/graph/model_text.h"

namespace rml {
namespace {

using testing::HasSubstr;

Graph Model() { return *ReadGraph(kModelJson, ModelWeights()); }

TEST(CheckStructure, AcceptsWhatTheReaderReads) { EXPECT_TRUE(CheckStructure(Model()).ok()); }

struct BadEdit {
  const char* name;
  std::function<void(Graph&)> edit;
  const char* message;
};

void PrintTo(const BadEdit& c, std::ostream* out) { *out << c.name; }

class BadEditTest : public testing::TestWithParam<BadEdit> {};

TEST_P(BadEditTest, IsRefused) {
  Graph graph = Model();
  GetParam().edit(graph);
  const absl::Status status = CheckStructure(graph);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

// What a file cannot say but a pass could do, and what needs more than one text replaced in a file.
const BadEdit kEdits[] = {
    {"UndefinedValue", [](Graph& g) { g.values.push_back({}); }, "value 6 has a type but nothing computes it"},
    {"NegativeInput", [](Graph& g) { g.nodes[0].inputs[0] = -1; }, "reads value -1"},
    {"NegativeOutput", [](Graph& g) { g.nodes[0].outputs[0] = -1; }, "a node's output is value -1; there are 6"},
    {"NegativeGraphOutput", [](Graph& g) { g.outputs[0].id = -1; }, "output 'y' is value -1"},
    {"InputIdTwice", [](Graph& g) { g.inputs.push_back({.id = 0, .name = "z"}); }, "value 0 is defined twice"},
    {"ConstantIdOfInput", [](Graph& g) { g.constants[0].id = 0; }, "value 0 is defined twice, once as a constant"},
    {"NodesSwapped", [](Graph& g) { std::swap(g.nodes[0], g.nodes[1]); }, "before a node defines it"},
    {"InputsOfOneName",
     [](Graph& g) {
       g.values.push_back({});
       g.inputs.push_back({.id = 6, .name = "x"});
     },
     "two inputs are named 'x'"},
    {"ConstantsOfOneName", [](Graph& g) { g.constants[1].name = "w"; }, "two constants are named 'w'"},
    {"PadName", [](Graph& g) { g.constants[0].name = "__pad.0"; }, "'__pad.0' is reserved"},
    {"MetadataName", [](Graph& g) { g.constants[0].name = "__metadata__"; }, "'__metadata__' is reserved"},
    {"UnnamedInput", [](Graph& g) { g.inputs[0].name = ""; }, "an input has no name"},
    {"BoundsReversed", [](Graph& g) { g.max_rows = 0; }, "B is from 1 to 0"},
    {"BoundsOfStatic", [](Graph& g) { g.symbolic = false; }, "B is from 1 to 64"},
    {"AttrOverflows", [](Graph& g) { g.nodes[0].attrs = {{"shape", std::vector<Dim>{Dim::TimesB(int64_t{1} << 40)}}}; },
     "attribute 'shape' is 1099511627776*B"},
    {"AttrSymbolInStatic",
     [](Graph& g) {
       g.symbolic = false;
       g.max_rows = 1;
       for (Value& value : g.values) value.shape = {3};
       g.nodes[0].attrs = {{"k", Dim::TimesB(2)}};
     },
     "node 0 (mul): attribute 'k' is 2*B, which uses B"},
};
INSTANTIATE_TEST_SUITE_P(All, BadEditTest, testing::ValuesIn(kEdits), testing::PrintToStringParamName());

TEST(CheckStructure, DimsCountAtTheLargestRowCount) {
  Graph graph = Model();
  graph.values[3].shape = {Dim::TimesB(int64_t{1} << 34)};
  EXPECT_TRUE(CheckStructure(graph).ok()) << CheckStructure(graph);
  graph.values[3].shape = {Dim::TimesB((int64_t{1} << 34) + 1)};
  EXPECT_FALSE(CheckStructure(graph).ok());
}

}  // namespace
}  // namespace rml
