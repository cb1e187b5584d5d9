#include "engine/graph/graph.h"

#include "absl/strings/str_format.h"
#include "engine/graph/quoted.h"

namespace rml {
namespace {

template <typename Items>
const std::string* NameOf(const Items& items, ValueId id) {
  for (const auto& item : items) {
    if (item.id == id && !item.name.empty()) return &item.name;
  }
  return nullptr;
}

}  // namespace

std::string Graph::NodeLabel(size_t node_index) const {
  const Node& node = nodes[node_index];
  const std::string op = Excerpt(node.op);
  if (node.name.empty()) return absl::StrFormat("node %d (%s)", node_index, op);
  return absl::StrFormat("node %d %s (%s)", node_index, Quoted(node.name), op);
}

std::string Graph::ValueLabel(ValueId id) const {
  if (const std::string* name = NameOf(inputs, id)) return Quoted(*name);
  if (const std::string* name = NameOf(constants, id)) return Quoted(*name);
  return absl::StrFormat("value %d", id);
}

Shape ShapeAt(const Value& value, int64_t rows) {
  Shape shape;
  for (const Dim& dim : value.shape) shape.push_back(dim.At(rows));
  return shape;
}

}  // namespace rml
