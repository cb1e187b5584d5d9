// Views, copies and memory of plans.
#include "engine/exec/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/engine/graph_builder.h"

namespace rml {
namespace {

using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

// A plan of the unfused graph, and the program that it points into.
struct Planned {
  std::shared_ptr<const Program> program;
  std::unique_ptr<Plan> plan;

  std::vector<std::string> Kernels() const {
    std::vector<std::string> kernels;
    for (const PlanStep& step : plan->steps) kernels.emplace_back(step.bound->kernel());
    return kernels;
  }
};

Planned PlanOf(const Graph& graph, int64_t rows = 1) {
  const auto program = Program::Compile(graph, {.fuse = false});
  EXPECT_TRUE(program.ok()) << program.status();
  auto plan = MakePlan((*program)->impl(), rows, {});
  EXPECT_TRUE(plan.ok()) << plan.status();
  return {*program, *std::move(plan)};
}

const Attrs kSwap = {{"perm", Ints({1, 0})}};
const Attrs kAxis1 = {{"axis", Dim(1)}};

TEST(Plan, AViewOfAViewIsNoStep) {
  GraphBuilder b;
  const ValueId t = b.Node("transpose", {b.Input("x", {16, 16})}, kSwap);
  const ValueId part =
      b.Node("slice", {t}, {{"axes", Ints({0})}, {"starts", Ints({4})}, {"ends", Ints({8})}, {"steps", Ints({1})}});
  b.Output(b.Node("matmul", {part, b.Node("unsqueeze", {b.Input("y", {16})}, {{"axes", Ints({1})}})}));
  const Planned planned = PlanOf(b.Build());
  EXPECT_EQ(planned.plan->steps.size(), 1u);
}

TEST(Plan, ALayoutThatAKernelCannotReadIsCopiedOnceForAllReaders) {
  GraphBuilder b;
  const ValueId t = b.Node("transpose", {b.Input("x", {16, 8})}, kSwap);
  b.Output(b.Node("softmax", {t}, kAxis1)).Output(b.Node("log_softmax", {t}, kAxis1));
  EXPECT_THAT(PlanOf(b.Build()).Kernels(),
              ElementsAre(StartsWith("copy"), Not(StartsWith("copy")), Not(StartsWith("copy"))));
}

TEST(Plan, AnOutputThatIsAViewIsCopiedAtTheEnd) {
  GraphBuilder b;
  b.Output(b.Node("transpose", {b.Node("exp", {b.Input("x", {16, 8})})}, kSwap));
  EXPECT_THAT(PlanOf(b.Build()).Kernels(), ElementsAre("elementwise", StartsWith("copy")));
}

TEST(Plan, AChainRunsInPlace) {
  GraphBuilder b;
  ValueId x = b.Input("x", {16, 16});
  for (int i = 0; i < 5; ++i) x = b.Node("sin", {x});
  b.Output(x);
  EXPECT_EQ(PlanOf(b.Build()).plan->arena_bytes, 4 * 16 * 16);  // the last writes to the caller's memory
}

TEST(Plan, AValueThatIsReadLaterIsNotOverwritten) {
  GraphBuilder b;
  const ValueId a = b.Node("sin", {b.Input("x", {16, 16})});
  const ValueId c = b.Node("cos", {a});
  b.Output(b.Node("add", {b.Node("exp", {c}), a}));
  EXPECT_EQ(PlanOf(b.Build()).plan->arena_bytes, 2 * 4 * 16 * 16);
}

TEST(Plan, AValueThatAViewStillShowsIsNotOverwritten) {
  GraphBuilder b;
  const ValueId a = b.Node("sin", {b.Input("x", {16, 16})});
  const ValueId t = b.Node("transpose", {a}, kSwap);
  const ValueId c = b.Node("cos", {a});
  b.Output(b.Node("matmul", {t, c}));
  const Planned planned = PlanOf(b.Build());
  const Operand* operands = &planned.plan->operands[planned.plan->steps.back().first_operand];
  EXPECT_NE(operands[0].offset_bytes, operands[1].offset_bytes) << "cos took the memory that the product reads";
}

TEST(Plan, ShapesAndMemoryFollowTheRowCount) {
  GraphBuilder b;
  b.Symbolic(1, 64);
  const ValueId x = b.Node("sin", {b.Input("x", {Dim::TimesB(1), 16})});
  b.Output(b.Node("softmax", {x}, kAxis1));
  const Graph graph = b.Build();
  for (const int64_t rows : {1, 3, 64}) {
    const Planned planned = PlanOf(graph, rows);
    EXPECT_EQ(planned.plan->rows, rows);
    EXPECT_EQ(planned.plan->types[graph.outputs[0].id].shape, (Shape{rows, 16}));
    EXPECT_EQ(planned.plan->arena_bytes, 4 * 16 * rows);
  }
}

}  // namespace
}  // namespace rml
