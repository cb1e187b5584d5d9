// A graph and the inputs to run it on: what the generator makes, the checker checks and the shrinker reduces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/tensor.h"
#include "engine/graph/graph.h"

namespace rml {

struct RandomCase {
  uint64_t seed = 0;
  Graph graph;
  // Inputs at the largest of `row_counts`. A smaller row count takes the leading part of every axis that has B.
  std::vector<Tensor> inputs;
  // In the order in which one executor runs them, repetitions wanted; {1} for a static graph.
  std::vector<int64_t> row_counts = {1};

  int64_t max_rows() const;
  RandomCase Clone() const;
};

// The inputs at `rows` <= max_rows().
std::vector<Tensor> InputsAt(const RandomCase& random_case, int64_t rows);
// The same for one row alone: values whose first axis alone has B give their part `row`, all others are as at one row.
std::vector<Tensor> InputsOfRow(const RandomCase& random_case, int64_t row);

// Whether B is in the first dim and in no other.
bool HasRows(const Value& value);

// Part `row` of `rows` equal parts along axis 0.
Tensor RowOf(const Tensor& tensor, int64_t row, int64_t rows);

std::vector<ConstTensorView> ViewsOf(const std::vector<Tensor>& tensors);

// The graph with every node output as an output: those that it has first, then the rest in order of id, named "%id".
// Outputs of nodes whose rows do not mix (row_tracking.h) say so.
Graph WithAllOutputs(const Graph& graph);

}  // namespace rml
