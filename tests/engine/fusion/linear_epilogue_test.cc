// What a product takes into its tiles, and an LSTM step as a whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/fusion/fusion_case.h"

namespace rml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LinearEpilogueTest : public testing::TestWithParam<FusionCase> {};

TEST_P(LinearEpilogueTest, HasTheseStepsAndTheSameBits) { ExpectSteps(GetParam()); }

// x [7, 5] times a constant [5, 19].
ValueId Product(GraphBuilder& b) { return b.Node("matmul", {b.Input("x", {7, 5}), b.RandomConstant({5, 19})}); }

const FusionCase kMust[] = {
    {"BiasAndActivation",
     [](GraphBuilder& b) {
       const ValueId y = Product(b);
       b.Output(b.Node("gelu", {b.Node("add", {b.RandomConstant({19}), y})}));
     },
     {"matmul+add+gelu"}},
    {"BiasAddendAndActivation",
     [](GraphBuilder& b) {
       const ValueId r = b.Input("r", {7, 19});
       const ValueId z = b.Node("add", {b.Node("add", {Product(b), b.RandomConstant({19})}), r});
       b.Output(b.Node("tanh", {z}));
     },
     {"matmul+add+add+tanh"}},
    {"AnAddendAlone",
     [](GraphBuilder& b) { b.Output(b.Node("add", {b.Input("r", {7, 19}), Product(b)})); },
     {"matmul+add"}},
    {"ABiasWithALeadingOne",
     [](GraphBuilder& b) { b.Output(b.Node("add", {Product(b), b.RandomConstant({1, 19})})); },
     {"matmul+add"}},
    {"ThreeAxesOnTheLeft",
     [](GraphBuilder& b) {
       const ValueId y = b.Node("matmul", {b.Input("x", {2, 3, 5}), b.RandomConstant({5, 19})});
       b.Output(b.Node("relu", {b.Node("add", {y, b.RandomConstant({19})})}));
     },
     {"matmul+add+relu"}},
    {"EachActivation",
     [](GraphBuilder& b) {
       b.Output(b.Node("relu", {Product(b)}));
       b.Output(b.Node("tanh", {b.Node("matmul", {b.Input("y", {7, 5}), b.RandomConstant({5, 3})})}));
       b.Output(b.Node("sigmoid", {b.Node("matmul", {b.Input("z", {7, 5}), b.RandomConstant({5, 3})})}));
       const ValueId y = b.Node("matmul", {b.Input("w", {7, 5}), b.RandomConstant({5, 3})});
       b.Output(b.Node("gelu", {y}, {{"approximate", "tanh"}}));
     },
     {"matmul+relu", "matmul+tanh", "matmul+sigmoid", "matmul+gelu"}},
};
INSTANTIATE_TEST_SUITE_P(Must, LinearEpilogueTest, testing::ValuesIn(kMust),
                         [](const auto& test) { return test.param.name; });

const FusionCase kMustNot[] = {
    {"AnAddendBeforeTheBiasRoundsOtherwise",
     [](GraphBuilder& b) {
       const ValueId r = b.Input("r", {7, 19});
       b.Output(b.Node("add", {b.Node("add", {Product(b), r}), b.RandomConstant({19})}));
     },
     {"matmul+add", "add"}},
    {"ASecondBias",
     [](GraphBuilder& b) {
       b.Output(b.Node("add", {b.Node("add", {Product(b), b.RandomConstant({19})}), b.RandomConstant({19})}));
     },
     {"matmul+add", "add"}},
    {"WhatFollowsTheActivation",
     [](GraphBuilder& b) { b.Output(b.Node("add", {b.Node("relu", {Product(b)}), b.RandomConstant({19})})); },
     {"matmul+relu", "add"}},
    {"AnotherOp", [](GraphBuilder& b) { b.Output(b.Node("exp", {Product(b)})); }, {"matmul", "exp"}},
    {"ItsOwnSum",
     [](GraphBuilder& b) {
       const ValueId y = Product(b);
       b.Output(b.Node("add", {y, y}));
     },
     {"matmul", "add"}},
    {"AResultThatIsReadTwiceStays",
     [](GraphBuilder& b) {
       const ValueId y = Product(b);
       b.Output(b.Node("mul", {b.Node("sigmoid", {y}), y}));
     },
     {"matmul", "fused(sigmoid+mul)"}},
    {"AGraphOutputStays",
     [](GraphBuilder& b) {
       const ValueId y = Product(b);
       b.Output(y).Output(b.Node("relu", {y}));
     },
     {"matmul", "relu"}},
    {"TwoComputedSidesStay",
     [](GraphBuilder& b) {
       const ValueId y = b.Node("matmul", {b.Input("x", {7, 5}), b.Input("w", {5, 19})});
       b.Output(b.Node("relu", {y}));
     },
     {"matmul", "relu"}},
    {"AConstantOnTheLeft",
     [](GraphBuilder& b) {
       const ValueId y = b.Node("matmul", {b.RandomConstant({7, 5}), b.Input("w", {5, 19})});
       b.Output(b.Node("relu", {y}));
     },
     {"matmul", "relu"}},
    {"ABatchOfConstants",
     [](GraphBuilder& b) {
       const ValueId y = b.Node("matmul", {b.Input("x", {2, 7, 5}), b.RandomConstant({2, 5, 19})});
       b.Output(b.Node("relu", {y}));
     },
     {"matmul", "relu"}},
    {"AColumnIsNoBias",
     [](GraphBuilder& b) { b.Output(b.Node("add", {Product(b), b.RandomConstant({7, 1})})); },
     {"matmul", "add"}},
    {"AScalarIsNoBias", [](GraphBuilder& b) { b.Output(b.Node("add", {Product(b), b.Scalar(2)})); }, {"matmul", "add"}},
    {"AnAddThatGrowsTheResultStays",
     [](GraphBuilder& b) {
       const ValueId y = b.Node("matmul", {b.Input("x", {1, 5}), b.RandomConstant({5, 19})});
       b.Output(b.Node("add", {y, b.Input("r", {7, 19})}));
     },
     {"matmul", "add"}},
};
INSTANTIATE_TEST_SUITE_P(MustNot, LinearEpilogueTest, testing::ValuesIn(kMustNot),
                         [](const auto& test) { return test.param.name; });

// One LSTM step as PyTorch exports it: product, bias, input projection, four gate slices, nine elementwise nodes.
Graph LstmCell(int64_t batch, int64_t hidden) {
  GraphBuilder b;
  const ValueId h = b.Input("h", {batch, hidden});
  const ValueId c = b.Input("c", {batch, hidden});
  const ValueId x = b.Input("x_projected", {batch, 4 * hidden});
  const ValueId product = b.Node("matmul", {h, b.RandomConstant({hidden, 4 * hidden})});
  const ValueId gates = b.Node("add", {b.Node("add", {product, b.RandomConstant({4 * hidden})}), x});
  std::vector<ValueId> gate;
  for (int64_t i = 0; i < 4; ++i) {
    gate.push_back(b.Node("slice", {gates},
                          {{"axes", Ints({1})},
                           {"starts", Ints({i * hidden})},
                           {"ends", Ints({(i + 1) * hidden})},
                           {"steps", Ints({1})}}));
  }
  const ValueId i = b.Node("sigmoid", {gate[0]});
  const ValueId f = b.Node("sigmoid", {gate[1]});
  const ValueId g = b.Node("tanh", {gate[2]});
  const ValueId o = b.Node("sigmoid", {gate[3]});
  const ValueId next_c = b.Node("add", {b.Node("mul", {f, c}), b.Node("mul", {i, g})});
  b.Output(b.Node("mul", {o, b.Node("tanh", {next_c})}), "h_next").Output(next_c, "c_next");
  return b.Build();
}

TEST(LstmCell, SixteenNodesAreSixSteps) {
  for (const auto& [batch, hidden] : std::vector<std::pair<int64_t, int64_t>>{{64, 256}, {3, 5}, {1, 700}}) {
    const Graph graph = LstmCell(batch, hidden);
    EXPECT_EQ(graph.nodes.size(), 16u);
    EXPECT_THAT(Labels(graph), ElementsAre("matmul+add+add", "slice", "slice", "slice", "slice",
                                           "fused(sigmoid+sigmoid+tanh+sigmoid+mul+mul+add+tanh+mul)"));
    // The gates are read in place: no copy anywhere.
    EXPECT_THAT(Kernels(graph), testing::Each(testing::Not(HasSubstr("copy"))));
    ExpectSameBitsUnfused(graph);
  }
}

TEST(FuseLinear, SaysWhyNot) {
  GraphBuilder b;
  b.Output(b.Node("matmul", {b.Input("a", {2, 2}), b.Input("w", {2, 2})}));
  EXPECT_THAT(Refusals(b.Build(), "fuse_linear"), ElementsAre(HasSubstr("the right-hand side is no constant matrix")));
}

TEST(Fusion, ADisabledPassLeavesItsNodesAlone) {
  const Graph graph = LstmCell(3, 5);
  const auto labels = Labels(graph, {.disabled_passes = {"fuse_linear"}});
  EXPECT_THAT(labels, ElementsAre("matmul", "fused(add+add)", "slice", "slice", "slice", "slice",
                                  "fused(sigmoid+sigmoid+tanh+sigmoid+mul+mul+add+tanh+mul)"));
  EXPECT_EQ(Labels(graph, {.fuse = false}).size(), 16u);
}

}  // namespace
}  // namespace rml
