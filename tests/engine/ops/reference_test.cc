// RunReference on whole graphs: input checks, row counts, subnormal numbers, errors.
#include "engine/ops/reference.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/engine/graph_builder.h"
#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

Graph RowSums() {
  GraphBuilder b;
  b.Symbolic(1, 64);
  const ValueId x = b.Input("x", {Dim::TimesB(1), 2});
  const ValueId bias = b.Input("bias", {2});
  b.Output(b.Node("reduce_sum", {b.Node("add", {x, bias})}, {{"axes", Ints({1})}}));
  return b.Build();
}

std::string Refusal(const Graph& graph, absl::Span<const ConstTensorView> inputs) {
  return std::string(RunReference(graph, inputs).status().message());
}

TEST(RunReference, TakesTheRowCountFromTheInputs) {
  const Tensor bias = F32({2}, {10, 20});
  const Tensor one = F32({1, 2}, {1, 2});
  const Tensor three = F32({3, 2}, {1, 2, 3, 4, 5, 6});
  ExpectSameBits(RunReference(RowSums(), {one.view(), bias.view()}).value()[0], F32({1}, {33}));
  ExpectSameBits(RunReference(RowSums(), {three.view(), bias.view()}).value()[0], F32({3}, {33, 37, 41}));
}

TEST(RunReference, RefusesOtherInputs) {
  const Tensor x = F32({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor narrow = F32({3, 1}, {1, 2, 3});
  const Tensor whole = I32({2}, {1, 2});
  const Tensor bias = F32({2}, {10, 20});
  EXPECT_EQ(Refusal(RowSums(), {x.view()}), "the model takes 2 inputs; got 1");
  EXPECT_EQ(Refusal(RowSums(), {narrow.view(), bias.view()}), "input 'x' is f32[3, 1]; expected f32[B, 2]");
  EXPECT_EQ(Refusal(RowSums(), {x.view(), whole.view()}), "input 'bias' is i32[2]; expected f32[2]");
}

TEST(RunReference, CountsSubnormalNumbersAsZeros) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {2});
  b.Output(b.Node("mul", {x, b.Scalar(4.0f)})).Output(b.Node("mul", {x, b.Scalar(0x1p-100f)}));
  const Tensor input = F32({2}, {0x1p-127f, 0x1p-60f});
  const auto outputs = RunReference(b.Build(), {input.view()});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ExpectSameBits((*outputs)[0], F32({2}, {0, 0x1p-58f}));  // read as zero
  ExpectSameBits((*outputs)[1], F32({2}, {0, 0}));         // written as zero
  volatile float subnormal = 0x1p-127f;
  EXPECT_NE(subnormal * 4.0f, 0.0f) << "the caller's mode is restored";
}

TEST(RunReference, NamesTheNodeThatRefusesItsData) {
  GraphBuilder b;
  const ValueId table = b.Constant({2}, {1, 2});
  const ValueId ids = b.Input("ids", {1}, DType::kI32);
  b.Output(b.Node("gather", {table, ids}, {{"axis", 0}, {"mode", "error"}}, "embedding"));
  const Tensor id = I32({1}, {2});
  EXPECT_EQ(Refusal(b.Build(), {id.view()}),
            "node 0 'embedding' (gather): index 2 at position 0 of 'indices'; expected 0 to 1");
}

TEST(RunReference, GivesBothOutputsOfANode) {
  GraphBuilder b;
  b.Node("top_k", {b.Input("x", {3})}, {{"k", 2}, {"axis", 0}});
  const std::vector<ValueId> both = b.Outputs();
  b.Output(both[1]).Output(both[0]).Output(both[0]);
  const Tensor x = F32({3}, {1, 3, 2});
  const auto outputs = RunReference(b.Build(), {x.view()});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ExpectSameBits((*outputs)[0], I32({2}, {1, 2}));
  ExpectSameBits((*outputs)[1], F32({2}, {3, 2}));
  ExpectSameBits((*outputs)[2], F32({2}, {3, 2}));
}

}  // namespace
}  // namespace rml
