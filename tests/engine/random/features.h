// What distinguishes nodes of one op from each other: each attribute's classes of values, where the operands come from
// and how they fit together. The generator asks for the options that it has made least often; the coverage table counts
// what it made.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/ops/op.h"

namespace rml {

// Where an operand lies.
enum class Origin : uint8_t { kComputed, kInput, kConstant, kView };

// A node of a graph whose types infer, seen at a row count of kSampleRows (or the static one).
inline constexpr int64_t kSampleRows = 3;
struct NodeFacts {
  const Node& node;
  const OpDef& op;
  OpAttrs attrs;
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;
  std::vector<Origin> origins;  // per input

  bool Gives(std::string_view attr) const;  // in the file, not by default
  const Shape& Input(int i) const { return inputs[i].shape; }
  const Shape& Output() const { return outputs[0].shape; }
};
// For every node, in order.
std::vector<NodeFacts> FactsOf(const Graph& graph);
// Whether the op makes views of its input.
bool IsViewOp(std::string_view op);

// The dtype that a node of this op counts under: of its data.
DType DataType(const NodeFacts& facts);
bool TakesI32(std::string_view op);

struct Feature {
  std::string name;
  std::vector<std::string> options;
  // Which of the options the node has, one bit each; 0 if the feature does not apply to it.
  std::function<uint32_t(const NodeFacts& facts)> of;
  // How often each option is wanted relative to the others; all alike if empty.
  std::vector<double> weights{};

  double weight(size_t option) const { return weights.empty() ? 1.0 : weights[option]; }
};

// A feature of which a node has one option: `of` gives its index, or kNotApplicable.
inline constexpr int kNotApplicable = -1;
template <typename F>
Feature OneOf(std::string name, std::vector<std::string> options, F of, std::vector<double> weights = {}) {
  return {std::move(name), std::move(options),
          [of](const NodeFacts& facts) {
            const int index = of(facts);
            return index == kNotApplicable ? 0u : 1u << index;
          },
          std::move(weights)};
}

// In a fixed order. Empty for an op that is not in the list.
const std::vector<Feature>& FeaturesOf(std::string_view op);

// Those of the op's own attributes and operands, which FeaturesOf() adds to the ones that all ops have.
std::vector<Feature> AttrFeatures(const OpDef& op);
std::vector<Feature> ShapeFeatures(const OpDef& op);

}  // namespace rml
