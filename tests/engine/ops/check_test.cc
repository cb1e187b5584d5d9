#include "engine/ops/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/graph_builder.h"

namespace rml {
namespace {

using testing::HasSubstr;

// A graph that is right, to be made wrong.
Graph SmallGraph() {
  GraphBuilder b;
  const ValueId y = b.Node("softmax", {b.Input("x", {2, 3})}, {{"axis", Dim(1)}}, "head");
  b.Output(y);
  return b.Build();
}

std::string CheckText(const Graph& graph) { return std::string(CheckGraph(graph).message()); }

TEST(CheckGraph, AcceptsARightGraph) { EXPECT_TRUE(CheckGraph(SmallGraph()).ok()); }

TEST(CheckGraph, NamesTheNodeAndBothTypes) {
  Graph graph = SmallGraph();
  graph.values[1].shape = {2, 4};
  EXPECT_EQ(CheckText(graph), "node 0 'head' (softmax): output 0 is f32[2, 3]; the file records value 1 as f32[2, 4]");
  graph = SmallGraph();
  graph.values[1].dtype = DType::kI32;
  EXPECT_THAT(CheckText(graph), HasSubstr("records value 1 as i32[2, 3]"));
}

TEST(CheckGraph, ListsAllUnknownOps) {
  Graph graph = SmallGraph();
  graph.nodes[0].op = "softmin";
  EXPECT_EQ(CheckText(graph), "unknown ops: 'softmin'");
  EXPECT_EQ(CheckGraph(graph).code(), absl::StatusCode::kUnimplemented);
}

TEST(CheckGraph, CountsInputsAndOutputs) {
  Graph graph = SmallGraph();
  graph.nodes[0].inputs.push_back(0);
  EXPECT_THAT(CheckText(graph), HasSubstr("has 2 inputs; expected (x)"));
  graph = SmallGraph();
  graph.values.push_back(graph.values[1]);
  graph.nodes[0].outputs.push_back(2);
  EXPECT_THAT(CheckText(graph), HasSubstr("has 2 outputs; expected 1 (y)"));
}

TEST(CheckGraph, AWrongMultipleOfBShowsAtSomeRowCount) {
  GraphBuilder b;
  b.Symbolic(1, 64);
  const ValueId x = b.Input("x", {Dim::TimesB(1), 4});
  b.Output(b.Node("reshape", {x}, {{"shape", Ints({Dim::TimesB(2), 2})}}));
  Graph graph = b.Build();
  EXPECT_TRUE(CheckGraph(graph).ok());
  graph.values[1].shape[0] = Dim::TimesB(3);
  EXPECT_THAT(CheckText(graph), HasSubstr("(for B = 1)"));
  // Right at B = 1 only: a number in place of a multiple.
  graph.values[1].shape[0] = Dim(2);
  EXPECT_THAT(CheckText(graph), HasSubstr("(for B = 2)"));
  // Right up to B = 50: a slice that stops there.
  GraphBuilder s;
  s.Symbolic(1, 64);
  const ValueId y = s.Input("x", {Dim::TimesB(1)});
  s.Output(s.Node("neg", {y}));
  graph = s.Build();
  graph.nodes[0].op = "slice";
  graph.nodes[0].attrs = {{"axes", Ints({0})}, {"starts", Ints({0})}, {"ends", Ints({50})}, {"steps", Ints({1})}};
  EXPECT_THAT(CheckText(graph), HasSubstr("(for B = 64)"));
}

}  // namespace
}  // namespace rml
