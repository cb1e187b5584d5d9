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

INSTANTIATE_TEST_SUITE_P(
    Linear, LinearEpilogueTest,
    testing::Values(FusionCase{"BiasAndActivation",
                               [](GraphBuilder& b) {
                                 const ValueId y = b.Node("matmul", {b.Input("x", {7, 5}), b.RandomConstant({5, 19})});
                                 b.Output(b.Node("gelu", {b.Node("add", {b.RandomConstant({19}), y})}));
                               },
                               {"matmul+add+gelu"}},
                    FusionCase{"BiasAddendAndActivation",
                               [](GraphBuilder& b) {
                                 const ValueId r = b.Input("r", {7, 19});
                                 const ValueId y = b.Node("matmul", {b.Input("x", {7, 5}), b.RandomConstant({5, 19})});
                                 const ValueId z = b.Node("add", {b.Node("add", {y, b.RandomConstant({19})}), r});
                                 b.Output(b.Node("tanh", {z}));
                               },
                               {"matmul+add+add+tanh"}},
                    FusionCase{"AnAddendBeforeTheBiasRoundsOtherwise",
                               [](GraphBuilder& b) {
                                 const ValueId r = b.Input("r", {7, 19});
                                 const ValueId y = b.Node("matmul", {b.Input("x", {7, 5}), b.RandomConstant({5, 19})});
                                 b.Output(b.Node("add", {b.Node("add", {y, r}), b.RandomConstant({19})}));
                               },
                               {"matmul+add", "add"}},
                    FusionCase{"AResultThatIsReadTwiceStays",
                               [](GraphBuilder& b) {
                                 const ValueId y = b.Node("matmul", {b.Input("x", {7, 5}), b.RandomConstant({5, 19})});
                                 b.Output(b.Node("mul", {b.Node("sigmoid", {y}), y}));
                               },
                               {"matmul", "fused(sigmoid+mul)"}},
                    FusionCase{"AGraphOutputStays",
                               [](GraphBuilder& b) {
                                 const ValueId y = b.Node("matmul", {b.Input("x", {7, 5}), b.RandomConstant({5, 19})});
                                 b.Output(y).Output(b.Node("relu", {y}));
                               },
                               {"matmul", "relu"}},
                    FusionCase{"TwoComputedSidesStay",
                               [](GraphBuilder& b) {
                                 const ValueId y = b.Node("matmul", {b.Input("x", {7, 5}), b.Input("w", {5, 19})});
                                 b.Output(b.Node("relu", {y}));
                               },
                               {"matmul", "relu"}},
                    FusionCase{"AColumnIsNoBias",
                               [](GraphBuilder& b) {
                                 const ValueId y = b.Node("matmul", {b.Input("x", {7, 5}), b.RandomConstant({5, 19})});
                                 b.Output(b.Node("add", {y, b.RandomConstant({7, 1})}));
                               },
                               {"matmul", "add"}},
                    FusionCase{"AnAddThatGrowsTheResultStays",
                               [](GraphBuilder& b) {
                                 const ValueId y = b.Node("matmul", {b.Input("x", {1, 5}), b.RandomConstant({5, 19})});
                                 b.Output(b.Node("add", {y, b.Input("r", {7, 19})}));
                               },
                               {"matmul", "add"}}),
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
