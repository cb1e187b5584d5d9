// What runs once, when a model is compiled, and what does not.
#include "engine/exec/fold_constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/exec/executor.h"
#include "tests/engine/fusion/fusion_case.h"
#include "tests/engine/graph_builder.h"

namespace rml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FoldConstantsTest : public testing::TestWithParam<FusionCase> {};

TEST_P(FoldConstantsTest, HasTheseStepsAndTheSameBits) { ExpectSteps(GetParam()); }

ValueId Transposed(GraphBuilder& b, ValueId x) { return b.Node("transpose", {x}, {{"perm", Ints({1, 0})}}); }

const FusionCase kFolded[] = {
    {"ATiedWeightIsPackedAsAnyOther",
     [](GraphBuilder& b) {
       const ValueId y = b.Node("matmul", {b.Input("x", {7, 5}), Transposed(b, b.RandomConstant({19, 5}))});
       b.Output(b.Node("add", {y, b.RandomConstant({19})}));
     },
     {"matmul+add"}},
    {"AChain",
     [](GraphBuilder& b) {
       const ValueId w = b.Node("exp", {Transposed(b, b.RandomConstant({19, 5}))});
       b.Output(b.Node("matmul", {b.Input("x", {7, 5}), b.Node("sin", {w})}));
     },
     {"matmul"}},
    {"AllOutputsOfANode",
     [](GraphBuilder& b) {
       const ValueId values = b.Node("top_k", {b.RandomConstant({3, 9})}, {{"k", Dim(4)}, {"axis", Dim(1)}});
       const ValueId places = b.Node("cast", {b.Outputs()[1]}, {{"to", std::string("f32")}});
       b.Output(b.Node("add", {b.Node("mul", {b.Input("x", {3, 4}), values}), places}));
     },
     {"fused(mul+add)"}},
    {"ABroadcastReadByNodesThatRunOnce",
     [](GraphBuilder& b) {
       const ValueId wide = b.Node("broadcast_to", {b.RandomConstant({5})}, {{"shape", Ints({3, 5})}});
       b.Output(b.Node("mul", {b.Input("x", {3, 5}), b.Node("add", {wide, b.RandomConstant({3, 1})})}));
     },
     {"mul"}},
    {"BetweenTwoMembersOfAGroup",
     [](GraphBuilder& b) {
       const ValueId a = b.Node("exp", {b.Input("x", {3, 5})});
       b.Output(b.Node("add", {a, b.Node("reduce_sum", {b.RandomConstant({2, 5})}, {{"axes", Ints({0})}})}));
     },
     {"fused(exp+add)"}},
    {"BetweenAConvolutionAndItsBias",
     [](GraphBuilder& b) {
       const ValueId y = b.Node("conv2d", {b.Input("x", {2, 3, 5, 6}), b.RandomConstant({6, 3, 3, 3})});
       b.Output(b.Node("add", {y, b.Node("reshape", {b.RandomConstant({6})}, {{"shape", Ints({6, 1, 1})}})}));
     },
     {"conv2d+add"}},
    {"NothingOfNothing",
     [](GraphBuilder& b) {
       const ValueId w = b.Node("neg", {b.RandomConstant({0, 3})});
       const ValueId y = b.Node("matmul", {b.Input("x", {2, 0}), w});
       b.Output(b.Node("concat", {y, w}, {{"axis", Dim(0)}}));
     },
     {"matmul", "concat"}},
};
INSTANTIATE_TEST_SUITE_P(Folded, FoldConstantsTest, testing::ValuesIn(kFolded),
                         [](const auto& test) { return test.param.name; });

const FusionCase kKept[] = {
    {"AGraphOutput", [](GraphBuilder& b) { b.Output(b.Node("neg", {b.RandomConstant({3})})); }, {"neg"}},
    {"WhatReadsAnInput",
     [](GraphBuilder& b) { b.Output(b.Node("softmax", {b.Input("x", {3, 5})}, {{"axis", Dim(1)}})); },
     {"softmax"}},
    {"ABroadcastThatIsReadThroughItsView",
     [](GraphBuilder& b) {
       const ValueId wide = b.Node("broadcast_to", {b.RandomConstant({1, 5})}, {{"shape", Ints({3, 5})}});
       b.Output(b.Node("mul", {b.Input("x", {3, 5}), wide}));
     },
     {"broadcast_to", "mul"}},
    {"WhatDependsOnB",
     [](GraphBuilder& b) {
       b.Symbolic(1, 8);
       const ValueId wide = b.Node("broadcast_to", {b.RandomConstant({1, 5})}, {{"shape", Ints({Dim::TimesB(1), 5})}});
       b.Output(b.Node("mul", {b.Input("x", {Dim::TimesB(1), 5}), wide}));
     },
     {"broadcast_to", "mul"}},
    {"AnExponent",
     [](GraphBuilder& b) {
       const ValueId x = b.Node("abs", {b.Input("x", {3, 5})});
       b.Output(b.Node("pow", {x, b.Node("neg", {b.Scalar(-2)})}));
     },
     {"abs", "neg", "pow"}},
    {"WhatTakesTooMuchMemory",  // 36 MB of two constants of 12 KB
     [](GraphBuilder& b) {
       const ValueId product = b.Node("mul", {b.RandomConstant({3000, 1}), b.RandomConstant({3000})});
       b.Output(b.Node("add", {b.Input("x", {1}), b.Node("reduce_max", {product}, {{"axes", Ints({0, 1})}})}));
     },
     {"mul", "reduce_max", "add"}},
    {"WhatNobodyReads",
     [](GraphBuilder& b) {
       b.Node("neg", {b.RandomConstant({3})});
       b.Output(b.Node("exp", {b.Input("x", {3, 5})}));
     },
     {"neg", "exp"}},
};
INSTANTIATE_TEST_SUITE_P(Kept, FoldConstantsTest, testing::ValuesIn(kKept),
                         [](const auto& test) { return test.param.name; });

TEST(FoldConstants, SaysWhatItFoldedAndWhyNotTheRest) {
  GraphBuilder b;
  const ValueId w = b.Node("transpose", {b.RandomConstant({4, 5})}, {{"perm", Ints({1, 0})}}, "tied");
  const ValueId wide = b.Node("broadcast_to", {b.RandomConstant({4})}, {{"shape", Ints({7, 4})}});
  b.Output(b.Node("add", {b.Node("matmul", {b.Input("x", {7, 5}), w}), wide}));
  b.Output(b.Node("neg", {b.RandomConstant({3})}));
  const PassReport report = Report(b.Build(), "fold_constants");
  EXPECT_THAT(report.matched, ElementsAre("node 0 'tied' (transpose): f32[5, 4]"));
  EXPECT_THAT(report.refused, ElementsAre("node 4 (neg): its result is a graph output",
                                          "node 1 (broadcast_to): as a view it costs nothing"));
}

TEST(FoldConstants, CanBeSwitchedOff) {
  GraphBuilder b;
  b.Output(b.Node("matmul", {b.Input("x", {7, 5}), Transposed(b, b.RandomConstant({19, 5}))}));
  EXPECT_THAT(Labels(b.Build(), {.disabled_passes = {"fold_constants"}}), ElementsAre("transpose", "matmul"));
}

int64_t PreparedBytes(GraphBuilder& b) {
  const auto program = Program::Compile(b.Build());
  EXPECT_TRUE(program.ok()) << program.status();
  return (*program)->memory().prepared;
}

TEST(FoldConstants, OnlyWhatStepsReadIsKept) {
  GraphBuilder plain, tied, read;
  plain.Output(plain.Node("matmul", {plain.Input("x", {7, 5}), plain.RandomConstant({5, 19})}));
  tied.Output(tied.Node("matmul", {tied.Input("x", {7, 5}), Transposed(tied, tied.RandomConstant({19, 5}))}));
  EXPECT_EQ(PreparedBytes(tied), PreparedBytes(plain));  // packed, and the transpose let go
  read.Output(read.Node("add", {read.Input("x", {5, 19}), Transposed(read, read.RandomConstant({19, 5}))}));
  EXPECT_EQ(PreparedBytes(read), 4 * 5 * 19);
}

TEST(FoldConstants, ANodeThatFailsFailsInTheRun) {
  GraphBuilder b;
  const ValueId rows = b.Node("gather", {b.RandomConstant({5, 3}), b.ConstantI32({1}, {7})},
                              {{"axis", Dim(0)}, {"mode", std::string("error")}}, "embed");
  b.Output(b.Node("add", {b.Input("x", {1, 3}), rows}));
  const PassReport report = Report(b.Build(), "fold_constants");
  EXPECT_THAT(report.matched, IsEmpty());
  EXPECT_THAT(report.refused, ElementsAre("all nodes: one of them fails, and a run says which and why"));
  const auto program = Program::Compile(b.Build());
  ASSERT_TRUE(program.ok()) << program.status();
  const auto executor = Executor::Create(*program);
  ASSERT_TRUE(executor.ok()) << executor.status();
  std::vector<Tensor> outputs;
  const absl::Status status = (*executor)->Run(Views(*(*program)->ZeroInputs(1)), outputs);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("'embed' (gather)"));
}

}  // namespace
}  // namespace rml
