// Who reads what in a graph: the question every fusion asks.
#pragma once

#include <vector>

#include "engine/graph/graph.h"

namespace rml {

class Readers {
 public:
  explicit Readers(const Graph& graph);

  // Nodes that read the value, in graph order, once per use.
  const std::vector<int>& of(ValueId id) const { return readers_[id]; }
  bool is_graph_output(ValueId id) const { return is_output_[id]; }
  // The one node that reads the value, or -1 if it is a graph output or has no or several uses.
  int only_reader(ValueId id) const { return !is_output_[id] && readers_[id].size() == 1 ? readers_[id][0] : -1; }

 private:
  std::vector<std::vector<int>> readers_;
  std::vector<bool> is_output_;
};

// The shape without leading dims of 1: two values whose canonical shapes are equal lie alike in memory.
std::vector<Dim> CanonicalShape(const std::vector<Dim>& shape);

}  // namespace rml
