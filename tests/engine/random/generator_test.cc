// The generator itself: the same graphs everywhere, an entry for every op, and rows that are what it says.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "engine/graph/graph_file.h"
#include "engine/ops/op.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/random/generate.h"
#include "tests/engine/random/node_makers.h"
#include "tests/engine/random/row_tracking.h"

namespace rml {
namespace {

void ExpectSameCase(const RandomCase& a, const RandomCase& b) {
  EXPECT_EQ(PrintGraph(a.graph), PrintGraph(b.graph));
  EXPECT_EQ(a.row_counts, b.row_counts);
  ASSERT_EQ(a.inputs.size(), b.inputs.size());
  for (size_t i = 0; i < a.inputs.size(); ++i) {
    ASSERT_EQ(a.inputs[i].shape(), b.inputs[i].shape());
    if (a.inputs[i].num_elements() == 0) continue;
    EXPECT_EQ(std::memcmp(a.inputs[i].raw(), b.inputs[i].raw(), a.inputs[i].shape().num_bytes()), 0);
  }
}

TEST(Generator, EveryOpHasAMakerFeaturesAndARowRule) {
  for (const OpDef& op : AllOps()) {
    const std::string name(op.name);
    EXPECT_NE(FindMaker(name), nullptr) << "op '" << name << "' needs a maker: node_makers.h";
    EXPECT_FALSE(FeaturesOf(name).empty()) << name;
    EXPECT_TRUE(HasRowRule(name)) << "op '" << name << "' needs a rule: row_tracking.cc";
  }
  EXPECT_EQ(FindMaker("no_such_op"), nullptr);
  EXPECT_FALSE(HasRowRule("no_such_op"));
}

TEST(Generator, EveryAttributeHasAFeature) {
  for (const OpDef& op : AllOps()) {
    std::set<std::string> names;
    for (const Feature& feature : FeaturesOf(op.name)) names.insert(feature.name);
    for (const AttrSchema& attr : op.attrs) {
      // clamp's bounds are one feature, and a shape is told from its input's.
      const bool covered = names.contains(attr.name) || (op.name == "clamp" && names.contains("bounds"));
      EXPECT_TRUE(covered) << op.name << " " << attr.name;
    }
  }
}

TEST(Generator, ASeedMeansOneCase) {
  CaseStream stream(kSeedsPerBlock + 3);
  stream.Next();
  ExpectSameCase(stream.Next(), GenerateCase(kSeedsPerBlock + 4));
}

// Holds the numbers themselves: another machine, compiler or library must not change what a seed means.
TEST(Generator, SeedsMeanTheSameEverywhere) {
  Rng rng(1);
  EXPECT_EQ(rng.Next(), 10451216379200822465u);
  EXPECT_EQ(rng.Next(), 13757245211066428519u);
  EXPECT_EQ(Rng(7).Below(1000), static_cast<int64_t>(Rng(7).Next() % 1000));
}

TEST(Generator, GraphsHaveOneToFortyNodes) {
  CaseStream stream(0);
  size_t least = 100, most = 0;
  for (int i = 0; i < 128; ++i) {
    const size_t nodes = stream.Next().graph.nodes.size();
    least = std::min(least, nodes);
    most = std::max(most, nodes);
  }
  EXPECT_GE(least, 1u);
  EXPECT_LE(least, 3u);
  EXPECT_GE(most, 36u);
  EXPECT_LE(most, 40u);
}

struct RowRule {
  const char* name;
  std::function<ValueId(GraphBuilder&, ValueId x)> build;  // x is [B, 3, 4]
  RowTrack track;
};

class RowRules : public testing::TestWithParam<RowRule> {};

TEST_P(RowRules, FollowAxis0) {
  GraphBuilder b;
  b.Symbolic(1, 9);
  const ValueId x = b.Input("x", {Dim::TimesB(1), 3, 4}, DType::kF32, true);
  const ValueId y = GetParam().build(b, x);
  b.Output(y);
  EXPECT_EQ(TrackRows(b.Build())[y], GetParam().track);
}

const Dim kB = Dim::TimesB(1);
INSTANTIATE_TEST_SUITE_P(
    Ops, RowRules,
    testing::Values(
        RowRule{"Unary", [](auto& b, ValueId x) { return b.Node("exp", {x}); }, RowTrack::kRows},
        RowRule{"RowOfConstants", [](auto& b, ValueId x) { return b.Node("add", {b.RandomConstant({4}), x}); },
                RowTrack::kRows},
        RowRule{"MovedUnderAnotherAxis",
                [](auto& b, ValueId x) { return b.Node("add", {x, b.Node("unsqueeze", {x}, {{"axes", Ints({0})}})}); },
                RowTrack::kMixed},
        RowRule{"SoftmaxInside", [](auto& b, ValueId x) { return b.Node("softmax", {x}, {{"axis", Dim(2)}}); },
                RowTrack::kRows},
        RowRule{"SoftmaxAcross", [](auto& b, ValueId x) { return b.Node("softmax", {x}, {{"axis", Dim(0)}}); },
                RowTrack::kMixed},
        RowRule{"ReshapeOfRows",
                [](auto& b, ValueId x) { return b.Node("reshape", {x}, {{"shape", Ints({Dim::TimesB(3), 4})}}); },
                RowTrack::kRows},
        RowRule{"ReshapeMovesB",
                [](auto& b, ValueId x) { return b.Node("reshape", {x}, {{"shape", Ints({3, kB, 4})}}); },
                RowTrack::kMixed},
        RowRule{"TransposeInside",
                [](auto& b, ValueId x) { return b.Node("transpose", {x}, {{"perm", Ints({0, 2, 1})}}); },
                RowTrack::kRows},
        RowRule{"TransposeAcross",
                [](auto& b, ValueId x) { return b.Node("transpose", {x}, {{"perm", Ints({1, 0, 2})}}); },
                RowTrack::kMixed},
        RowRule{"MatMulByConstant", [](auto& b, ValueId x) { return b.Node("matmul", {x, b.RandomConstant({4, 5})}); },
                RowTrack::kRows},
        RowRule{"MatMulOfRows",
                [](auto& b, ValueId x) {
                  return b.Node("matmul", {x, b.Node("transpose", {x}, {{"perm", Ints({0, 2, 1})}})});
                },
                RowTrack::kRows},
        RowRule{"SumOverRows", [](auto& b, ValueId x) { return b.Node("reduce_sum", {x}, {{"axes", Ints({0})}}); },
                RowTrack::kMixed},
        RowRule{"ConcatOfRows", [](auto& b, ValueId x) { return b.Node("concat", {x, x}, {{"axis", Dim(1)}}); },
                RowTrack::kRows},
        RowRule{"ConcatAcross", [](auto& b, ValueId x) { return b.Node("concat", {x, x}, {{"axis", Dim(0)}}); },
                RowTrack::kMixed},
        RowRule{"Backwards",
                [](auto& b, ValueId x) {
                  return b.Node(
                      "slice", {x},
                      {{"axes", Ints({0})}, {"starts", Ints({-1})}, {"ends", Ints({-100})}, {"steps", Ints({-1})}});
                },
                RowTrack::kMixed},
        RowRule{"SharedForAllRows",
                [](auto& b, ValueId) {
                  return b.Node("broadcast_to", {b.RandomConstant({4})}, {{"shape", Ints({kB, 4})}});
                },
                RowTrack::kRows},
        RowRule{"Shared", [](auto& b, ValueId) { return b.Node("exp", {b.RandomConstant({4})}); }, RowTrack::kShared}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace rml
