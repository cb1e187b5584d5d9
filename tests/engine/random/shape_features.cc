// How a node's operands fit together.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "tests/engine/random/features.h"

namespace rml {
namespace {

// How an operand lies under a larger result.
enum Fit { kWhole, kScalar, kRow, kColumn, kOther };

Fit FitOf(const Shape& operand, const Shape& result) {
  if (operand.num_elements() == 1 && result.num_elements() != 1) return kScalar;
  if (operand == result || operand.num_elements() == result.num_elements()) return kWhole;
  // Without leading ones, a row is the result's last dims.
  int lead = 0;
  while (lead < operand.rank() && operand.dim(lead) == 1) ++lead;
  const int rest = operand.rank() - lead;
  bool row = true;
  for (int i = 1; i <= rest; ++i) row = row && operand.dim(-i) == result.dim(-i);
  if (row) return kRow;
  bool column = operand.rank() == result.rank() && operand.dim(-1) == 1;
  for (int i = 0; column && i + 1 < operand.rank(); ++i) column = operand.dim(i) == result.dim(i);
  return column ? kColumn : kOther;
}

int BinaryFit(const NodeFacts& facts) {
  const Fit a = FitOf(facts.Input(0), facts.Output());
  const Fit b = FitOf(facts.Input(1), facts.Output());
  if (a == kWhole && b == kWhole) return 0;
  if (a != kWhole && b != kWhole) return 9;
  return b == kWhole ? a : 4 + b;
}

uint32_t WhereFit(const NodeFacts& facts) {
  uint32_t has = 0;
  for (int i = 0; i < 3; ++i) {
    if (FitOf(facts.Input(i), facts.Output()) != kWhole) has |= 2u << i;
  }
  return has == 0 ? 1u : has;
}

int MatMulRanks(const NodeFacts& facts) {
  const int a = facts.Input(0).rank(), b = facts.Input(1).rank();
  if (a == 1) return b == 1 ? 0 : b == 2 ? 1 : 2;
  if (b == 1) return a == 2 ? 3 : 4;
  if (a == 2) return b == 2 ? 5 : 6;
  if (b == 2) return 7;
  for (int i = 3; i <= std::max(a, b); ++i) {
    if (i > a || i > b || facts.Input(0).dim(-i) != facts.Input(1).dim(-i)) return 9;
  }
  return 8;
}

int Terms(const NodeFacts& facts) {
  const int64_t K = facts.Input(0).dim(-1);
  return K == 0 ? 0 : K < 256 ? 1 : K == 256 ? 2 : 3;
}

int SdpaMask(const NodeFacts& facts) {
  if (facts.inputs.size() < 4) return 0;
  Shape scores = facts.Input(0);
  scores.set_dim(-1, facts.Input(1).dim(-2));
  if (facts.Input(3) == scores) return 1;
  return facts.Input(3).rank() > 0 && facts.Input(3).dim(-1) == scores.dim(-1) ? 2 : 3;
}

int SdpaLengths(const NodeFacts& facts) {
  const int64_t queries = facts.Input(0).dim(-2), keys = facts.Input(1).dim(-2);
  return queries == keys ? 0 : queries < keys ? 1 : 2;
}

int ReshapeForm(const NodeFacts& facts) {
  const auto& target = facts.attrs.Ints("shape");
  if (std::find(target.begin(), target.end(), -1) != target.end()) return 0;
  if (facts.Input(0) == facts.Output()) return 1;
  return facts.Input(0).rank() > facts.Output().rank() ? 2 : facts.Input(0).rank() < facts.Output().rank() ? 3 : 4;
}

int BroadcastForm(const NodeFacts& facts) {
  const bool more_axes = facts.Output().rank() > facts.Input(0).rank();
  const bool repeats = facts.Output().num_elements() != facts.Input(0).num_elements();
  if (!repeats) return more_axes ? 1 : 0;
  return more_axes ? 3 : 2;
}

int ConcatCount(const NodeFacts& facts) {
  const std::set<ValueId> distinct(facts.node.inputs.begin(), facts.node.inputs.end());
  if (distinct.size() < facts.node.inputs.size()) return 3;
  return static_cast<int>(std::min<size_t>(facts.inputs.size(), 3)) - 1;
}

int OptionalInputs(const NodeFacts& facts) { return static_cast<int>(facts.inputs.size()) - facts.op.min_inputs; }

}  // namespace

std::vector<Feature> ShapeFeatures(const OpDef& op) {
  static const std::set<std::string, std::less<>> binary = {"add",     "sub", "mul",       "div",       "maximum",
                                                            "minimum", "pow", "remainder", "floor_div", "eq",
                                                            "ne",      "lt",  "le",        "gt",        "ge"};
  const std::string_view name = op.name;
  if (binary.contains(name)) {
    // The first five name a's fit when b is whole, the next four b's when a is.
    return {
        OneOf("shapes",
              {"same", "a scalar", "a row", "a column", "a other", "b scalar", "b row", "b column", "b other", "both"},
              &BinaryFit)};
  }
  if (name == "where") return {{"repeats", {"none", "c", "a", "b"}, &WhereFit}};
  if (name == "matmul") {
    return {OneOf("ranks",
                  {"1 x 1", "1 x 2", "1 x batch", "2 x 1", "batch x 1", "2 x 2", "2 x batch", "batch x 2",
                   "batch x batch", "repeated batch"},
                  &MatMulRanks),
            OneOf("K", {"0", "below 256", "256", "above"}, &Terms, {0.15, 2, 0.3, 1})};
  }
  if (name == "sdpa") {
    return {OneOf("mask", {"none", "whole", "repeats", "repeats keys"}, &SdpaMask),
            OneOf("lengths", {"equal", "more keys", "more queries"}, &SdpaLengths)};
  }
  if (name == "conv2d" || name == "conv_transpose2d") {
    return {OneOf("kernel", {"1 x 1", "more"},
                  [](const NodeFacts& facts) { return facts.Input(1).dim(2) * facts.Input(1).dim(3) == 1 ? 0 : 1; }),
            OneOf("inputs", {"no bias", "bias"}, &OptionalInputs)};
  }
  if (name == "layer_norm") return {OneOf("inputs", {"x", "x, weight", "x, weight, bias"}, &OptionalInputs)};
  if (name == "gather") {
    return {OneOf("indices rank", {"0", "1", "more"},
                  [](const NodeFacts& facts) { return std::min(2, facts.Input(1).rank()); })};
  }
  if (name == "gather_elements" || name == "scatter_add") {
    return {OneOf("indices", {"as data", "more", "fewer"}, [](const NodeFacts& facts) {
      const int64_t data = facts.Input(0).num_elements(), indices = facts.Input(1).num_elements();
      return indices == data ? 0 : indices > data ? 1 : 2;
    })};
  }
  if (name == "reshape") {
    return {OneOf("shape", {"with -1", "same", "fewer axes", "more axes", "as many"}, &ReshapeForm)};
  }
  if (name == "broadcast_to") return {OneOf("shape", {"same", "more axes", "repeats", "both"}, &BroadcastForm)};
  if (name == "concat") return {OneOf("inputs", {"1", "2", "3 or more", "one twice"}, &ConcatCount)};
  return {};
}

}  // namespace rml
