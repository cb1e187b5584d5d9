#include "engine/exec/release_constants.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/exec/executor.h"
#include "tests/engine/exec/fixtures.h"
#include "tests/engine/graph_builder.h"

namespace rml {
namespace {

std::shared_ptr<const Program> MustCompile(const Graph& graph, const ProgramOptions& options = {}) {
  auto program = Program::Compile(graph, options);
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

bool Kept(const Program& program, ValueId id) {
  for (const Constant& constant : program.graph().constants) {
    if (constant.id == id) return constant.data != nullptr;
  }
  ADD_FAILURE() << "value " << id << " is no constant";
  return false;
}

TEST(ReleaseConstants, WeightsGoAndWhatIsReadStays) {
  GraphBuilder b;
  const ValueId weight = b.RandomConstant({4, 4}), bias = b.RandomConstant({4}), factor = b.RandomConstant({4});
  ValueId y = b.Node("matmul", {b.Input("x", {3, 4}), weight});
  y = b.Node("add", {y, bias});
  b.Output(b.Node("mul", {b.Node("exp", {y}), factor}));
  for (const bool fuse : {true, false}) {
    const auto program = MustCompile(b.Build(), {.fuse = fuse});
    EXPECT_FALSE(Kept(*program, weight)) << fuse;
    EXPECT_TRUE(Kept(*program, bias)) << fuse;
    EXPECT_TRUE(Kept(*program, factor)) << fuse;
    EXPECT_EQ(program->memory().constants, 2 * 4 * 4) << fuse;
    EXPECT_GE(program->memory().prepared, 4 * 4 * 4) << fuse;
  }
}

// The weight of a product that also is its bias, and one that another node reads as it is.
TEST(ReleaseConstants, AWeightThatIsAlsoReadStays) {
  const Tensor x = RandomTensor({3, 1}, 1);
  for (const bool as_bias : {true, false}) {
    GraphBuilder b;
    const ValueId weight = b.RandomConstant({1, 4});
    const ValueId product = b.Node("matmul", {b.Input("x", {3, 1}), weight});
    b.Output(b.Node(as_bias ? "add" : "maximum", {product, weight}));
    std::vector<std::vector<Tensor>> outputs(2);
    for (const bool fuse : {true, false}) {
      const auto program = MustCompile(b.Build(), {.fuse = fuse});
      EXPECT_TRUE(Kept(*program, weight)) << as_bias << fuse;
      const auto executor = Executor::Create(program);
      ASSERT_TRUE(executor.ok()) << executor.status();
      ASSERT_EQ((*executor)->Run({x.view()}, outputs[fuse ? 1 : 0]), absl::OkStatus());
    }
    EXPECT_EQ(BitsDigest(outputs[0]), BitsDigest(outputs[1]));
  }
}

TEST(ReleaseConstants, ACompiledGraphLeavesTheOneItCameFrom) {
  GraphBuilder b;
  const ValueId weight = b.RandomConstant({4, 4});
  b.Output(b.Node("matmul", {b.Input("x", {3, 4}), weight}));
  const Graph graph = b.Build();
  EXPECT_FALSE(Kept(*MustCompile(graph), weight));
  EXPECT_NE(graph.constants[0].data, nullptr);
  EXPECT_FALSE(Kept(*MustCompile(graph), weight)) << "compiled again";
}

}  // namespace
}  // namespace rml
