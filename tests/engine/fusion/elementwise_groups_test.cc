// What groups, what does not, and what a group reads in place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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
        FusionCase{
            "EveryUnaryOp",
            [](GraphBuilder& b) {
              ValueId x = b.Input("x", {3, 5});
              for (const char* op :
                   {"neg",     "abs", "exp",  "log",   "sqrt",  "rsqrt", "reciprocal", "sin",  "cos",        "tanh",
                    "sigmoid", "erf", "relu", "expm1", "log1p", "erfc",  "floor",      "ceil", "round_even", "sign"}) {
                x = b.Node(op, {x});
              }
              b.Output(x);
            },
            {"fused(neg+abs+exp+log+sqrt+rsqrt+reciprocal+sin+cos+tanh+sigmoid+erf+relu+expm1+log1p+erfc+floor+ceil+"
             "round_even+sign)"}},
        FusionCase{"EveryBinaryOpAndBothFormsOfGelu",
                   [](GraphBuilder& b) {
                     const ValueId y = b.Input("y", {3, 5});
                     ValueId x = b.Input("x", {3, 5});
                     for (const char* op : {"add", "sub", "mul", "div", "maximum", "minimum", "remainder", "floor_div"})
                       x = b.Node(op, {x, y});
                     x = b.Node("gelu", {b.Node("gelu", {x})}, {{"approximate", "tanh"}});
                     b.Output(x);
                   },
                   {"fused(add+sub+mul+div+maximum+minimum+remainder+floor_div+gelu+gelu)"}},
        FusionCase{"AnExponentThatIsComputedIsNone",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Node("abs", {b.Input("x", {3, 5})});
                     b.Output(b.Node("pow", {x, b.Input("e", {})}));
                   },
                   {"abs", "pow"}},
        FusionCase{"AnExponentPerColumnIsNone",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Node("abs", {b.Input("x", {3, 2})});
                     b.Output(b.Node("pow", {x, b.Constant({2}, {2, 2})}));
                   },
                   {"abs", "pow"}},
        FusionCase{"ACopyAtTheEndIsWritten",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Node("exp", {b.Input("x", {3, 5})});
                     b.Output(x).Output(b.Node("pow", {x, b.Scalar(1)}));
                   },
                   {"fused(exp+pow)"}},
        FusionCase{"BothOperandsMayRepeat",
                   [](GraphBuilder& b) {
                     const ValueId sum = b.Node("add", {b.Input("row", {1, 5}), b.Input("column", {3, 1})});
                     b.Output(b.Node("exp", {sum}));
                   },
                   {"fused(add+exp)"}},
        FusionCase{"RowAndColumnUnderThreeAxes",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Input("x", {2, 3, 5});
                     const ValueId row = b.Node("add", {x, b.Input("row", {1, 1, 5})});
                     b.Output(b.Node("mul", {row, b.Input("column", {2, 3, 1})}));
                   },
                   {"fused(add+mul)"}},
        FusionCase{"AMatrixUnderThreeAxesIsNoOperand",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Node("exp", {b.Input("x", {2, 3, 5})});
                     b.Output(b.Node("add", {x, b.Input("matrix", {3, 5})}));
                   },
                   {"exp", "add"}},
        FusionCase{"AColumnOfAMatrixUnderThreeAxesIsNoOperand",
                   [](GraphBuilder& b) {
                     const ValueId x = b.Node("exp", {b.Input("x", {2, 3, 5})});
                     b.Output(b.Node("add", {x, b.Input("column", {3, 1})}));
                   },
                   {"exp", "add"}},
        FusionCase{"ShapesAreEqualIfTheyAreForEveryB",
                   [](GraphBuilder& b) {
                     b.Symbolic(1, 8);
                     const ValueId x = b.Node("exp", {b.Input("x", {Dim::TimesB(1), 5})});
                     b.Output(b.Node("sin", {x}));
                     b.Output(b.Node("cos", {b.Input("y", {Dim::TimesB(2), 5})}));
                     b.Output(b.Node("tanh", {b.Input("z", {1, 5})}));
                   },
                   {"fused(exp+sin)", "cos", "tanh"}},
        FusionCase{"TrimmedToOneIsNoGroup",
                   [](GraphBuilder& b) {
                     const ValueId a = b.Node("exp", {b.Input("x", {3, 5})});
                     b.Output(b.Node("unsqueeze", {b.Node("unsqueeze", {a}, {{"axes", kAxis0}})}, {{"axes", kAxis0}}));
                   },
                   {"exp", "unsqueeze", "unsqueeze"}},
        FusionCase{"AnUnreadMemberIsWritten",
                   [](GraphBuilder& b) {
                     const ValueId a = b.Node("exp", {b.Input("x", {3, 5})});
                     b.Node("cos", {a});
                     b.Output(b.Node("sin", {a}));
                   },
                   {"fused(exp+cos+sin)"}},
        FusionCase{"AGraphOutputInTheMiddleIsWritten",
                   [](GraphBuilder& b) {
                     const ValueId a = b.Node("exp", {b.Input("x", {3, 5})});
                     const ValueId c = b.Node("cos", {a});
                     b.Output(c).Output(b.Node("sin", {c}));
                   },
                   {"fused(exp+cos+sin)"}},
        FusionCase{"ValuesReadOutsideBecomeOutputs",
                   [](GraphBuilder& b) {
                     const ValueId a = b.Node("exp", {b.Input("x", {3, 5})});
                     const ValueId c = b.Node("sin", {a});
                     const ValueId s = b.Node("softmax", {a}, {{"axis", Dim(1)}});
                     b.Output(s).Output(c);
                   },
                   {"fused(exp+sin)", "softmax"}}),
    [](const auto& test) { return test.param.name; });

TEST(FuseElementwise, AGroupHoldsAtMostFortyEightNodes) {
  const auto sizes = [](int nodes) {
    GraphBuilder b;
    ValueId x = b.Input("x", {3, 5});
    for (int i = 0; i < nodes; ++i) x = b.Node("sin", {x});
    b.Output(x);
    ExpectSameBitsUnfused(b.Build());
    std::vector<int64_t> counts;
    for (const std::string& label : Labels(b.Build()))
      counts.push_back(1 + std::count(label.begin(), label.end(), '+'));
    return counts;
  };
  EXPECT_THAT(sizes(48), testing::ElementsAre(48));
  EXPECT_THAT(sizes(49), testing::ElementsAre(48, 1));
  EXPECT_THAT(sizes(100), testing::ElementsAre(48, 48, 4));
}

TEST(FuseElementwise, SaysWhyNot) {
  GraphBuilder b;
  b.Output(b.Node("softmax", {b.Node("exp", {b.Input("x", {3, 5})})}, {{"axis", Dim(1)}}));
  EXPECT_THAT(
      Refusals(b.Build(), "fuse_elementwise"),
      testing::ElementsAre("node 0 (exp): alone, node 1 (softmax) after it is not fusible with it (op, shape or "
                           "operand layout)"));
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
        LayoutCase{"RepeatedColumn",
                   [](GraphBuilder& b, ValueId x) {
                     const ValueId column = b.Node(
                         "slice", {x},
                         {{"axes", Ints({1})}, {"starts", Ints({3})}, {"ends", Ints({4})}, {"steps", Ints({1})}});
                     return b.Node("broadcast_to", {column}, {{"shape", Ints({6, 4})}});
                   },
                   true},
        LayoutCase{"RowsBackwards",
                   [](GraphBuilder& b, ValueId x) {
                     return b.Node(
                         "slice", {x},
                         {{"axes", Ints({0})}, {"starts", Ints({5})}, {"ends", Ints({-9})}, {"steps", Ints({-1})}});
                   },
                   true},
        LayoutCase{"OuterAxesSwapped",
                   [](GraphBuilder& b, ValueId x) {
                     const ValueId cube = b.Node("reshape", {x}, {{"shape", Ints({2, 3, 8})}});
                     return b.Node("transpose", {cube}, {{"perm", Ints({1, 0, 2})}});
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
