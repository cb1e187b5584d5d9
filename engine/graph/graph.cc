#include "engine/graph/graph.h"

#include "absl/strings/str_format.h"

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
  if (node.name.empty()) return absl::StrFormat("node %d (%s)", node_index, node.op);
  return absl::StrFormat("node %d '%s' (%s)", node_index, node.name, node.op);
}

std::string Graph::ValueLabel(ValueId id) const {
  if (const std::string* name = NameOf(inputs, id)) return absl::StrFormat("'%s'", *name);
  if (const std::string* name = NameOf(constants, id)) return absl::StrFormat("'%s'", *name);
  return absl::StrFormat("value %d", id);
}

Shape ShapeAt(const Value& value, int64_t rows) {
  Shape shape;
  for (const Dim& dim : value.shape) shape.push_back(dim.At(rows));
  return shape;
}

}  // namespace rml
