// Which adds a convolution takes as its bias.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/fusion/fusion_case.h"

namespace rml {
namespace {

class ConvBiasTest : public testing::TestWithParam<FusionCase> {};

TEST_P(ConvBiasTest, HasTheseStepsAndTheSameBits) { ExpectSteps(GetParam()); }

ValueId Conv(GraphBuilder& b, ValueId x) {
  return b.Node("conv2d", {x, b.RandomConstant({6, 3, 3, 3})}, {{"pads", Ints({1, 1, 1, 1})}});
}

INSTANTIATE_TEST_SUITE_P(
    ConvBias, ConvBiasTest,
    testing::Values(
        FusionCase{"ChannelVector",
                   [](GraphBuilder& b) {
                     b.Output(b.Node("add", {Conv(b, b.Input("x", {2, 3, 5, 6})), b.RandomConstant({6, 1, 1})}));
                   },
                   {"conv2d+add"}},
        FusionCase{"ChannelVectorWithBatchAxisOnTheLeft",
                   [](GraphBuilder& b) {
                     b.Output(b.Node("add", {b.RandomConstant({1, 6, 1, 1}), Conv(b, b.Input("x", {2, 3, 5, 6}))}));
                   },
                   {"conv2d+add"}},
        FusionCase{"APlainVectorRunsAlongTheWidth",
                   [](GraphBuilder& b) {
                     b.Output(b.Node("add", {Conv(b, b.Input("x", {2, 3, 5, 6})), b.RandomConstant({6})}));
                   },
                   {"conv2d", "add"}},
        FusionCase{"AVectorWithOneMoreAxisIsNoBias",
                   [](GraphBuilder& b) {
                     b.Output(b.Node("add", {Conv(b, b.Input("x", {2, 3, 5, 6})), b.RandomConstant({1, 1, 6, 1, 1})}));
                   },
                   {"conv2d", "add"}},
        FusionCase{"OneValueIsABiasOfOneChannel",
                   [](GraphBuilder& b) {
                     const ValueId y = b.Node("conv2d", {b.Input("x", {2, 3, 5, 6}), b.RandomConstant({1, 3, 3, 3})});
                     b.Output(b.Node("add", {y, b.Scalar(2)}));
                   },
                   {"conv2d+add"}},
        FusionCase{"OneValueIsNoBiasOfSixChannels",
                   [](GraphBuilder& b) { b.Output(b.Node("add", {Conv(b, b.Input("x", {2, 3, 5, 6})), b.Scalar(2)})); },
                   {"conv2d", "add"}},
        FusionCase{"AComputedVectorIsNoBias",
                   [](GraphBuilder& b) {
                     b.Output(b.Node("add", {Conv(b, b.Input("x", {2, 3, 5, 6})), b.Input("bias", {6, 1, 1})}));
                   },
                   {"conv2d", "add"}},
        FusionCase{"AResultThatIsReadTwice",
                   [](GraphBuilder& b) {
                     const ValueId c = Conv(b, b.Input("x", {2, 3, 5, 6}));
                     b.Output(b.Node("add", {c, b.RandomConstant({6, 1, 1})}))
                         .Output(b.Node("softmax", {c}, {{"axis", Dim(1)}}));
                   },
                   {"conv2d", "add", "softmax"}},
        FusionCase{"ItsOwnSumIsNoBias",
                   [](GraphBuilder& b) {
                     const ValueId c = Conv(b, b.Input("x", {2, 3, 5, 6}));
                     b.Output(b.Node("add", {c, c}));
                   },
                   {"conv2d", "add"}},
        FusionCase{"AFullConstantIsNoBias",
                   [](GraphBuilder& b) {
                     b.Output(b.Node("add", {Conv(b, b.Input("x", {2, 3, 5, 6})), b.RandomConstant({2, 6, 5, 6})}));
                   },
                   {"conv2d", "add"}},
        FusionCase{"AnotherNodeBetween",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Input("x", {2, 3, 5, 6});
                     const ValueId c = Conv(b, x);
                     b.Output(b.Node("softmax", {x}, {{"axis", Dim(1)}}));
                     b.Output(b.Node("add", {c, b.RandomConstant({6, 1, 1})}));
                   },
                   {"conv2d", "softmax", "add"}},
        FusionCase{"AResultThatIsAnOutput",
                   [](GraphBuilder& b) {
                     const ValueId c = Conv(b, b.Input("x", {2, 3, 5, 6}));
                     b.Output(c).Output(b.Node("add", {c, b.RandomConstant({6, 1, 1})}));
                   },
                   {"conv2d", "add"}},
        FusionCase{"ABiasOfItsOwn",
                   [](GraphBuilder& b) {
                     const ValueId c = b.Node(
                         "conv2d", {b.Input("x", {2, 3, 5, 6}), b.RandomConstant({6, 3, 3, 3}), b.RandomConstant({6})});
                     b.Output(b.Node("add", {c, b.RandomConstant({6, 1, 1})}));
                   },
                   {"conv2d", "add"}}),
    [](const auto& test) { return test.param.name; });

TEST(FoldConvBias, SaysWhyNot) {
  const auto why = [](const std::function<void(GraphBuilder&, ValueId)>& read) {
    GraphBuilder b;
    read(b, Conv(b, b.Input("x", {2, 3, 5, 6})));
    const std::vector<std::string> refusals = Refusals(b.Build(), "fold_conv_bias");
    return refusals.size() == 1 ? refusals[0] : "no single reason";
  };
  EXPECT_EQ(why([](GraphBuilder& b, ValueId y) { b.Output(b.Node("add", {y, b.RandomConstant({6})})); }),
            "node 0 (conv2d): node 1 (add) adds no constant of one value per channel");
  EXPECT_EQ(why([](GraphBuilder& b, ValueId y) { b.Output(b.Node("relu", {y})); }),
            "node 0 (conv2d): the next node is no add of its result");
  EXPECT_EQ(why([](GraphBuilder& b, ValueId y) { b.Output(y); }),
            "node 0 (conv2d): its result is a graph output or is read more than once");
}

}  // namespace
}  // namespace rml
