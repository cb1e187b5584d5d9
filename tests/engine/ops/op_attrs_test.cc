// Attributes against their schema, at a row count.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/ops/op.h"
#include "tests/engine/graph_builder.h"

namespace rml {
namespace {

struct Refused {
  const char* name;
  const char* op;
  Attrs attrs;
  const char* error;
  int64_t rows = 1;
};

class RefusedAttrsTest : public testing::TestWithParam<Refused> {};

TEST_P(RefusedAttrsTest, SaysWhy) {
  const auto attrs = ResolveAttrs(*FindOp(GetParam().op), GetParam().attrs, GetParam().rows);
  ASSERT_FALSE(attrs.ok());
  EXPECT_EQ(attrs.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(attrs.status().message()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    OpAttrs, RefusedAttrsTest,
    testing::Values(
        Refused{"Unknown", "gelu", {{"approx", "tanh"}}, "unknown attribute 'approx'; expected: approximate"},
        Refused{"AllUnknown",
                "softmax",
                {{"dim", 1}, {"axis", 0}, {"beta", 1.0}},
                "unknown attribute 'dim', 'beta'; expected: axis"},
        Refused{"UnknownOfNone", "exp", {{"base", 2.0}}, "unknown attribute 'base'; expected: none"},
        Refused{"Repeated", "softmax", {{"axis", 0}, {"axis", 0}}, "attribute 'axis' is given twice"},
        Refused{"AllMissing", "slice", {{"axes", Ints({0})}}, "missing attribute 'starts', 'ends', 'steps'"},
        Refused{"FloatForInt", "softmax", {{"axis", 1.5}}, "attribute 'axis' is a number; expected an integer"},
        Refused{"WholeFloatForInt", "softmax", {{"axis", 1.0}}, "attribute 'axis' is a number; expected an integer"},
        Refused{"ListForInt",
                "softmax",
                {{"axis", Ints({1})}},
                "attribute 'axis' is a list of integers; expected an integer"},
        Refused{"IntForList", "squeeze", {{"axes", 1}}, "attribute 'axes' is an integer; expected a list of integers"},
        Refused{"StringForFloat", "clamp", {{"min", "0"}}, "attribute 'min' is a string; expected a number"},
        Refused{
            "SymbolForFloat", "clamp", {{"min", Dim::TimesB(1)}}, "attribute 'min' is an integer; expected a number"},
        Refused{"IntForBool",
                "top_k",
                {{"k", 1}, {"axis", 0}, {"largest", 1}},
                "attribute 'largest' is an integer; expected true or false"},
        Refused{"BoolForString", "cast", {{"to", true}}, "attribute 'to' is true or false; expected a string"},
        Refused{"MultipleDoesNotFit",
                "reshape",
                {{"shape", Ints({Dim::TimesB(int64_t{1} << 62)})}},
                "attribute 'shape': 4611686018427387904*B does not fit for B = 2",
                2}),
    [](const auto& test) { return test.param.name; });

OpAttrs Resolved(const std::string& op, const Attrs& attrs, int64_t rows = 1) {
  const auto resolved = ResolveAttrs(*FindOp(op), attrs, rows);
  EXPECT_TRUE(resolved.ok()) << resolved.status();
  return resolved.ok() ? *resolved : OpAttrs();
}

TEST(ResolveAttrs, FillsDefaults) {
  const OpAttrs conv = Resolved("conv2d", {{"groups", 3}});
  EXPECT_EQ(conv.Ints("strides"), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(conv.Ints("pads"), (std::vector<int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(conv.Int("groups"), 3);
  EXPECT_EQ(Resolved("gelu", {}).String("approximate"), "none");
  EXPECT_TRUE(Resolved("top_k", {{"k", 1}, {"axis", 0}}).Bool("largest"));
  EXPECT_EQ(Resolved("pad", {{"before", Ints({})}, {"after", Ints({})}}).Float("value"), 0.0);
}

TEST(ResolveAttrs, LeavesOptionalOnesOut) {
  const OpAttrs clamp = Resolved("clamp", {{"max", 6}});
  EXPECT_FALSE(clamp.Has("min"));
  EXPECT_EQ(clamp.Float("max"), 6.0);
}

TEST(ResolveAttrs, MultipliesByTheRowCount) {
  const Attrs attrs = {{"shape", Ints({Dim::TimesB(1), Dim::TimesB(64), -1, 3})}};
  EXPECT_EQ(Resolved("reshape", attrs, 1).Ints("shape"), (std::vector<int64_t>{1, 64, -1, 3}));
  EXPECT_EQ(Resolved("reshape", attrs, 7).Ints("shape"), (std::vector<int64_t>{7, 448, -1, 3}));
  constexpr int64_t kHalf = std::numeric_limits<int64_t>::max() / 2;
  const Attrs largest = {{"shape", Ints({Dim::TimesB(kHalf)})}};
  EXPECT_EQ(Resolved("reshape", largest, 2).Ints("shape"), (std::vector<int64_t>{2 * kHalf}));
}

}  // namespace
}  // namespace rml
