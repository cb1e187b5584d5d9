// The tolerance is neither too wide nor a matter of luck: references agree with themselves, and a small error anywhere
// does not.
#include "tests/engine/random/node_tolerance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "engine/exec/flush_constants.h"
#include "tests/engine/random/base_run.h"
#include "tests/engine/random/features.h"
#include "tests/engine/random/generate.h"

namespace rml {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// Calls see(run, expected, tolerances) for every node of some random graphs.
template <typename See>
void ForEachNode(int graphs, See see) {
  CaseStream stream(0);
  for (int i = 0; i < graphs; ++i) {
    RandomCase made = stream.Next();
    ASSERT_EQ(FlushConstants(made.graph), absl::OkStatus());
    const int64_t rows = made.max_rows();
    std::vector<ConstTensorView> views(made.graph.values.size());
    for (size_t k = 0; k < made.inputs.size(); ++k) views[made.graph.inputs[k].id] = made.inputs[k].view();
    for (const Constant& constant : made.graph.constants) {
      const Value& value = made.graph.values[constant.id];
      views[constant.id] = {value.dtype, ShapeAt(value, rows), constant.data};
    }
    std::vector<std::vector<Tensor>> kept;
    for (const Node& node : made.graph.nodes) {
      const OpAttrs attrs = *ResolveAttrs(*FindOp(node.op), node.attrs, rows);
      NodeRun run{*FindOp(node.op), attrs, {}};
      for (ValueId id : node.inputs) run.inputs.push_back(views[id]);
      auto expected = RunNodeReference(run);
      ASSERT_TRUE(expected.ok()) << node.op << ": " << expected.status();
      see(run, *expected, TolerancesOf(run, *expected));
      kept.push_back(*std::move(expected));
      for (size_t k = 0; k < node.outputs.size(); ++k) views[node.outputs[k]] = kept.back()[k].view();
    }
  }
}

TEST(NodeTolerance, AReferenceAgreesWithItself) {
  ForEachNode(64, [](const NodeRun& run, const std::vector<Tensor>& expected, const auto& tolerances) {
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(Disagreement(expected[i].view(), expected[i].view(), tolerances[i]), "") << run.op.name;
    }
  });
}

// An error of one part in a thousand, or of one in an integer, in one element.
TEST(NodeTolerance, SeesASmallErrorInAnyOp) {
  std::set<std::string> seen;
  ForEachNode(128, [&](const NodeRun& run, const std::vector<Tensor>& expected, const auto& tolerances) {
    for (size_t i = 0; i < expected.size(); ++i) {
      if (expected[i].num_elements() == 0) continue;
      Tensor wrong = expected[i].Clone();
      if (wrong.dtype() == DType::kI32) {
        wrong.data<int32_t>().back() ^= 1;
      } else {
        float& last = wrong.data<float>().back();
        const float size = last == 0 ? 1 : std::fabs(last);
        if (!std::isfinite(last) || size < 1e-20f || size > 1e20f) continue;
        const auto& bounds = tolerances[i].bounds;
        if (!bounds.empty() && bounds.back() > 5e-4f * size) continue;  // an ill-conditioned sum
        last += 1e-3f * size;
      }
      EXPECT_NE(Disagreement(wrong.view(), expected[i].view(), tolerances[i]), "") << run.op.name;
      seen.insert(std::string(run.op.name));
    }
  });
  for (const OpDef& op : AllOps()) EXPECT_TRUE(seen.contains(std::string(op.name))) << op.name;
}

std::string Compare(float actual, float expected, OutputTolerance tolerance) {
  Tensor a(DType::kF32, Shape{1}), e(DType::kF32, Shape{1});
  a.data<float>()[0] = actual;
  e.data<float>()[0] = expected;
  return Disagreement(a.view(), e.view(), tolerance);
}

TEST(NodeTolerance, SpecialNumbers) {
  const OutputTolerance bits{}, values{Agreement::kValues}, within{Agreement::kBounds, {0.5f}},
      anything{Agreement::kBounds, {kInf}};
  const float nan = std::nanf("");
  EXPECT_EQ(Compare(nan, -nan, bits), "");
  EXPECT_NE(Compare(nan, 1, within), "");
  EXPECT_NE(Compare(1, nan, within), "");
  EXPECT_NE(Compare(-0.0f, 0.0f, bits), "");
  EXPECT_EQ(Compare(-0.0f, 0.0f, values), "");
  EXPECT_EQ(Compare(1e-40f, 0.0f, bits), "");
  EXPECT_NE(Compare(1e-40f, -0.0f, bits), "");
  EXPECT_EQ(Compare(kInf, kInf, within), "");
  EXPECT_NE(Compare(kInf, -kInf, within), "");
  EXPECT_NE(Compare(kInf, 1, within), "");
  EXPECT_EQ(Compare(kInf, 1, anything), "");
  EXPECT_EQ(Compare(1.5f, 1.0f, within), "");
  EXPECT_NE(Compare(1.6f, 1.0f, within), "");
  // The largest float rounds to infinity within a few of its own units.
  EXPECT_EQ(Compare(kInf, std::numeric_limits<float>::max(), {Agreement::kBounds, {1e32f}}), "");
}

}  // namespace
}  // namespace rml
