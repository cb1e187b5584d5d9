// What a graph file says: values, constants, nodes. Plain data, immutable once CheckGraph() (ops/check.h) has accepted it.
//
//   inputs, constants --> nodes in order --> outputs
//
// Values are dense ids 0..values.size()-1; each is defined exactly once, before its first use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/base/shape.h"
#include "engine/graph/dim.h"

namespace rml {

using ValueId = int32_t;

// An attribute as the file gives it. Integers may be multiples of B; a number written without a fraction is a Dim and is
// taken as a float where the op's schema says so.
using AttrValue = std::variant<Dim, double, bool, std::string, std::vector<Dim>>;
using Attrs = std::vector<std::pair<std::string, AttrValue>>;  // in file order, names unique

struct Value {
  DType dtype = DType::kF32;
  std::vector<Dim> shape;
  bool operator==(const Value&) const = default;
};

struct GraphInput {
  ValueId id = 0;
  std::string name;
  bool row_independent = false;  // "rows" in the file: row i of the outputs needs row i of this input alone
  bool operator==(const GraphInput&) const = default;
};

struct GraphOutput {
  ValueId id = 0;
  std::string name;
  bool row_independent = false;
  bool operator==(const GraphOutput&) const = default;
};

// A constant's elements, contiguous, 64-byte aligned, kept alive by `owner` (its part of a weights file, or a Buffer).
struct Constant {
  ValueId id = 0;
  std::string name;  // empty: inline in the file
  const void* data = nullptr;
  std::shared_ptr<const void> owner;
};

struct Node {
  std::string op;    // a name of engine/ops/op_list.inc once checked
  std::string name;  // the framework's module path; may be empty
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  Attrs attrs;  // only those that the file gives; defaults come from the op's schema
  bool operator==(const Node&) const = default;
};

struct Graph {
  std::string producer;
  std::vector<Value> values;  // by id
  std::vector<GraphInput> inputs;
  std::vector<Constant> constants;
  std::vector<Node> nodes;
  std::vector<GraphOutput> outputs;
  // Bounds of B, both inclusive; equal to {1, 1} and symbolic == false for a static file.
  bool symbolic = false;
  int64_t min_rows = 1;
  int64_t max_rows = 1;

  // "node 7 'encoder.0/fc1' (matmul)": how errors name a node.
  std::string NodeLabel(size_t node_index) const;
  // "'x'" for inputs and constants with a name, "value 12" otherwise.
  std::string ValueLabel(ValueId id) const;
};

// The concrete shape of a value for a row count. Requires a validated graph.
Shape ShapeAt(const Value& value, int64_t rows);

}  // namespace rml
