// Builds graphs for tests in a few lines; output types are inferred.
//
//   GraphBuilder b;
//   const ValueId x = b.Input("x", {2, 3});
//   const ValueId y = b.Node("relu", {x});
//   b.Output(y);
//   Graph graph = b.Build();
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/base/tensor.h"
#include "engine/graph/graph.h"

namespace rml {

// Misuse (a node whose types do not infer) aborts with the reason: a test that wants to see a refusal edits the graph.
class GraphBuilder {
 public:
  // For a symbolic graph: shapes and attributes may hold multiples of B.
  GraphBuilder& Symbolic(int64_t min_rows, int64_t max_rows);

  ValueId Input(const std::string& name, std::vector<Dim> shape, DType dtype = DType::kF32, bool rows = false);
  ValueId Constant(const Shape& shape, const std::vector<float>& values);
  ValueId ConstantI32(const Shape& shape, const std::vector<int32_t>& values);
  // Uniform in [-1, 1), the same for the same shape and order of calls.
  ValueId RandomConstant(const Shape& shape);
  ValueId Scalar(float value) { return Constant(Shape{}, {value}); }

  // The node's first output; Outputs() gives all of the last node.
  ValueId Node(const std::string& op, std::vector<ValueId> inputs, Attrs attrs = {}, const std::string& name = "");
  const std::vector<ValueId>& Outputs() const { return graph_.nodes.back().outputs; }

  GraphBuilder& Output(ValueId id, const std::string& name = "", bool rows = false);
  Graph Build() { return graph_; }

 private:
  ValueId AddValue(DType dtype, std::vector<Dim> shape);
  ValueId AddConstant(DType dtype, const Shape& shape, const void* elements);

  Graph graph_;
  std::mt19937 random_{1234};  // NOLINT(bugprone-random-generator-seed): the same constants every time
};

// A list of integers as an attribute.
AttrValue Ints(std::initializer_list<Dim> dims);

// Values in [-2, 2) by seed, for inputs.
Tensor RandomTensor(const Shape& shape, unsigned seed);

}  // namespace rml
