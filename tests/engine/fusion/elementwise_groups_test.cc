// What groups, what does not, and what a group reads in place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/fusion/fusion_case.h"

namespace rml {
namespace {

class ElementwiseGroupTest : public testing::TestWithParam<FusionCase> {};

TEST_P(ElementwiseGroupTest, HasTheseStepsAndTheSameBits) { ExpectSteps(GetParam()); }

const AttrValue kAxis0 = Ints({0});

INSTANTIATE_TEST_SUITE_P(
    FuseElementwise, ElementwiseGroupTest,
    testing::Values(
        FusionCase{"Chain",
                   [](GraphBuilder& b) { b.Output(b.Node("tanh", {b.Node("exp", {b.Input("x", {3, 5})})})); },
                   {"fused(exp+tanh)"}},
        FusionCase{
            "SingleNodeStaysAlone", [](GraphBuilder& b) { b.Output(b.Node("exp", {b.Input("x", {3, 5})})); }, {"exp"}},
        FusionCase{"MembersNeedNotFeedEachOther",
                   [](GraphBuilder& b) {
                     b.Output(b.Node("exp", {b.Input("x", {3, 5})})).Output(b.Node("sin", {b.Input("y", {3, 5})}));
                   },
                   {"fused(exp+sin)"}},
        FusionCase{"AnotherShapeEndsAGroup",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Input("x", {3, 5});
                     const ValueId y = b.Input("y", {5, 3});
                     b.Output(b.Node("exp", {x})).Output(b.Node("sin", {y})).Output(b.Node("cos", {y}));
                   },
                   {"exp", "fused(sin+cos)"}},
        FusionCase{"LeadingOnesDoNotCount",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Input("x", {1, 3, 5});
                     const ValueId a = b.Node("exp", {x});
                     const ValueId r = b.Node("squeeze", {a}, {{"axes", kAxis0}});
                     b.Output(b.Node("sin", {r}));
                   },
                   {"fused(exp+squeeze+sin)"}},
        FusionCase{"AReshapeOfAnOutsideValueIsAFreeView",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Input("x", {1, 3, 5});
                     const ValueId r = b.Node("squeeze", {x}, {{"axes", kAxis0}});
                     b.Output(b.Node("cos", {b.Node("sin", {r})}));
                   },
                   {"squeeze", "fused(sin+cos)"}},
        FusionCase{"TrailingReshapesAreTrimmed",
                   [](GraphBuilder& b) {
                     const ValueId a = b.Node("sin", {b.Node("exp", {b.Input("x", {3, 5})})});
                     b.Output(b.Node("unsqueeze", {a}, {{"axes", kAxis0}}));
                   },
                   {"fused(exp+sin)", "unsqueeze"}},
        FusionCase{"ARealReshapeIsNoMember",
                   [](GraphBuilder& b) {
                     const ValueId a = b.Node("exp", {b.Input("x", {3, 4})});
                     const ValueId r = b.Node("reshape", {a}, {{"shape", Ints({4, 3})}});
                     b.Output(b.Node("sin", {r}));
                   },
                   {"exp", "reshape", "sin"}},
        FusionCase{"RowColumnAndScalarOperands",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Input("x", {3, 5});
                     const ValueId row = b.Node("add", {x, b.RandomConstant({5})});
                     const ValueId column = b.Node("mul", {row, b.RandomConstant({3, 1})});
                     b.Output(b.Node("sub", {b.Scalar(2), column}));
                   },
                   {"fused(add+mul+sub)"}},
        FusionCase{"AChannelOperandIsNoMember",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Input("x", {2, 3, 4, 5});
                     const ValueId y = b.Node("mul", {x, b.RandomConstant({3, 1, 1})});
                     b.Output(b.Node("add", {y, b.RandomConstant({3, 1, 1})}));
                   },
                   {"mul", "add"}},
        FusionCase{"ComparisonsWhereAndClampAreNoMembers",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Input("x", {3, 5});
                     const ValueId a = b.Node("exp", {x});
                     const ValueId c = b.Node("gt", {a, x});
                     const ValueId w = b.Node("where", {c, a, x});
                     b.Output(b.Node("clamp",
                                     {
                                         w,
                                     },
                                     {{"min", 0.5}}));
                   },
                   {"exp", "gt", "where", "clamp"}},
        FusionCase{"PowWithTheseExponents",
                   [](GraphBuilder& b) {
                     ValueId x = b.Node("abs", {b.Input("x", {3, 5})});
                     for (float e : {2.0f, 3.0f, 0.5f, -0.5f, -1.0f, 1.0f}) x = b.Node("pow", {x, b.Scalar(e)});
                     b.Output(x);
                   },
                   {"fused(abs+pow+pow+pow+pow+pow+pow)"}},
        FusionCase{"PowWithOtherExponentsIsNoMember",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Node("abs", {b.Input("x", {3, 5})});
                     b.Output(b.Node("pow", {x, b.Scalar(2.5f)}));
                   },
                   {"abs", "pow"}},
        FusionCase{"IntegersAreNoMembers",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Node("cast", {b.Input("x", {3, 5})}, {{"to", std::string("i32")}});
                     b.Output(b.Node("neg", {b.Node("abs", {x})}));
                   },
                   {"cast", "abs", "neg"}},
        FusionCase{"ReductionsEndAGroup",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Input("x", {3, 5});
                     const ValueId m =
                         b.Node("reduce_mean", {b.Node("exp", {x})}, {{"axes", Ints({1})}, {"keep_dims", true}});
                     b.Output(b.Node("exp", {b.Node("sub", {x, m})}));
                   },
                   {"exp", "reduce_mean", "fused(sub+exp)"}},
        FusionCase{"ValuesReadOutsideBecomeOutputs",
                   [](GraphBuilder& b) {
                     const ValueId a = b.Node("exp", {b.Input("x", {3, 5})});
                     const ValueId c = b.Node("sin", {a});
                     const ValueId s = b.Node("softmax", {a}, {{"axis", Dim(1)}});
                     b.Output(s).Output(c);
                   },
                   {"fused(exp+sin)", "softmax"}}),
    [](const auto& test) { return test.param.name; });

TEST(Fusion, AGroupHoldsAtMostFortyEightNodes) {
  GraphBuilder b;
  ValueId x = b.Input("x", {3, 5});
  for (int i = 0; i < 100; ++i) x = b.Node("sin", {x});
  b.Output(x);
  const auto labels = Labels(b.Build());
  ASSERT_EQ(labels.size(), 3u);
  EXPECT_EQ(std::count(labels[0].begin(), labels[0].end(), '+'), 47);
  EXPECT_EQ(std::count(labels[2].begin(), labels[2].end(), '+'), 3);
  ExpectSameBitsUnfused(b.Build());
}

struct LayoutCase {
  const char* name;
  std::function<ValueId(GraphBuilder&, ValueId)> view;
  bool in_place;
};

class ReadInPlaceTest : public testing::TestWithParam<LayoutCase> {};

TEST_P(ReadInPlaceTest, AFusedGroupCopiesOnlyWhatItMust) {
  GraphBuilder b;
  const ValueId view = GetParam().view(b, b.Input("x", {6, 8}));
  b.Output(b.Node("tanh", {b.Node("exp", {view})}));
  const std::vector<std::string> kernels = Kernels(b.Build());
  EXPECT_EQ(kernels.back() == "elementwise", GetParam().in_place) << kernels.back();
  ExpectSameBitsUnfused(b.Build());
}

INSTANTIATE_TEST_SUITE_P(
    Fusion, ReadInPlaceTest,
    testing::Values(
        LayoutCase{"ColumnSlice",
                   [](GraphBuilder& b, ValueId x) {
                     return b.Node(
                         "slice", {x},
                         {{"axes", Ints({1})}, {"starts", Ints({2})}, {"ends", Ints({7})}, {"steps", Ints({1})}});
                   },
                   true},
        LayoutCase{"EverySecondRow",
                   [](GraphBuilder& b, ValueId x) {
                     return b.Node(
                         "slice", {x},
                         {{"axes", Ints({0})}, {"starts", Ints({0})}, {"ends", Ints({6})}, {"steps", Ints({2})}});
                   },
                   true},
        LayoutCase{"RepeatedRow",
                   [](GraphBuilder& b, ValueId x) {
                     const ValueId row = b.Node(
                         "slice", {x},
                         {{"axes", Ints({0})}, {"starts", Ints({1})}, {"ends", Ints({2})}, {"steps", Ints({1})}});
                     return b.Node("broadcast_to", {row}, {{"shape", Ints({4, 8})}});
                   },
                   true},
        LayoutCase{"Transposed",
                   [](GraphBuilder& b, ValueId x) { return b.Node("transpose", {x}, {{"perm", Ints({1, 0})}}); },
                   false},
        LayoutCase{"Flipped",
                   [](GraphBuilder& b, ValueId x) {
                     return b.Node(
                         "slice", {x},
                         {{"axes", Ints({1})}, {"starts", Ints({7})}, {"ends", Ints({-9})}, {"steps", Ints({-1})}});
                   },
                   false},
        LayoutCase{"EverySecondColumn",
                   [](GraphBuilder& b, ValueId x) {
                     return b.Node(
                         "slice", {x},
                         {{"axes", Ints({1})}, {"starts", Ints({0})}, {"ends", Ints({8})}, {"steps", Ints({2})}});
                   },
                   false}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace rml
