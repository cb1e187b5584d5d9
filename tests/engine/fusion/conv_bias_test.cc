// Which adds a convolution takes as its bias.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/fusion/fusion_case.h"

namespace rml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
  GraphBuilder b;
  b.Output(b.Node("add", {Conv(b, b.Input("x", {2, 3, 5, 6})), b.RandomConstant({6})}));
  EXPECT_THAT(Refusals(b.Build(), "fold_conv_bias"),
              ElementsAre(HasSubstr("adds no constant of one value per channel")));
}

}  // namespace
}  // namespace rml
