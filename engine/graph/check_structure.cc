#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/graph/graph_file.h"
#include "engine/graph/quoted.h"

namespace rml {
namespace {

absl::Status Bad(const std::string& message) { return absl::InvalidArgumentError(message); }

class StructureChecker {
 public:
  StructureChecker(const Graph& graph, const GraphLimits& limits) : graph_(graph), limits_(limits) {}

  absl::Status Run() {
    if (graph_.outputs.empty()) return Bad("the graph has no outputs");
    const bool rows_ok = graph_.symbolic ? graph_.min_rows >= 1 && graph_.max_rows >= graph_.min_rows
                                         : graph_.min_rows == 1 && graph_.max_rows == 1;
    if (!rows_ok) return Bad(absl::StrFormat("B is from %d to %d", graph_.min_rows, graph_.max_rows));
    defined_.assign(graph_.values.size(), false);
    RETURN_IF_ERROR(CheckShapes());
    for (const GraphInput& input : graph_.inputs) RETURN_IF_ERROR(Define(input.id, "an input"));
    for (const Constant& constant : graph_.constants) RETURN_IF_ERROR(Define(constant.id, "a constant"));
    const std::vector<bool> given = defined_;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      RETURN_IF_ERROR(Annotate(CheckNode(graph_.nodes[n]), graph_.NodeLabel(n)));
    }
    for (size_t id = 0; id < defined_.size(); ++id) {
      if (!defined_[id]) return Bad(absl::StrFormat("value %d has a type but nothing computes it", id));
    }
    for (const GraphOutput& output : graph_.outputs) {
      if (!InRange(output.id))
        return Bad(absl::StrFormat("output %s is value %d; there are %d", Quoted(output.name), output.id,
                                   graph_.values.size()));
      if (given[output.id]) {
        return Bad(
            absl::StrFormat("output %s is an input or a constant; expected the result of a node (a reshape to the "
                            "same shape will do)",
                            Quoted(output.name)));
      }
    }
    return CheckNames();
  }

 private:
  bool InRange(ValueId id) const { return id >= 0 && id < static_cast<ValueId>(graph_.values.size()); }

  absl::Status CheckShapes() const {
    for (size_t id = 0; id < graph_.values.size(); ++id) {
      const Value& value = graph_.values[id];
      const std::string where = absl::StrFormat("value %d of shape %s", id, ToString(value.shape));
      if (value.shape.size() > kMaxRank) {
        return Bad(absl::StrFormat("%s has rank %d; expected at most %d", where, value.shape.size(), kMaxRank));
      }
      std::vector<int64_t> dims;
      for (const Dim& dim : value.shape) {
        if (dim.symbolic() && !graph_.symbolic) return Bad(where + " uses B; 'symbols' does not define it");
        if (dim.factor() > limits_.max_dim / (dim.symbolic() ? graph_.max_rows : 1)) {
          return Bad(absl::StrFormat("%s has a dim above the limit of %d", where, limits_.max_dim));
        }
        dims.push_back(dim.At(graph_.max_rows));
      }
      RETURN_IF_ERROR(Annotate(CheckedNumElements(dims).status(), where));
    }
    return absl::OkStatus();
  }

  absl::Status Define(ValueId id, const char* as) {
    if (!InRange(id)) return Bad(absl::StrFormat("%s is value %d; there are %d", as, id, graph_.values.size()));
    if (defined_[id]) return Bad(absl::StrFormat("value %d is defined twice, once as %s", id, as));
    defined_[id] = true;
    return absl::OkStatus();
  }

  absl::Status CheckNode(const Node& node) {
    for (ValueId id : node.inputs) {
      if (!InRange(id)) return Bad(absl::StrFormat("reads value %d; there are %d", id, graph_.values.size()));
      if (!defined_[id]) return Bad(absl::StrFormat("reads value %d before a node defines it", id));
    }
    if (node.outputs.empty()) return Bad("has no outputs");
    for (ValueId id : node.outputs) RETURN_IF_ERROR(Define(id, "a node's output"));
    for (const auto& [name, attr] : node.attrs) RETURN_IF_ERROR(CheckAttr(name, attr));
    return absl::OkStatus();
  }

  absl::Status CheckAttr(const std::string& name, const AttrValue& attr) const {
    if (const Dim* dim = std::get_if<Dim>(&attr)) return CheckAttrDim(name, *dim);
    if (const auto* dims = std::get_if<std::vector<Dim>>(&attr)) {
      for (const Dim& dim : *dims) RETURN_IF_ERROR(CheckAttrDim(name, dim));
    }
    return absl::OkStatus();
  }

  absl::Status CheckAttrDim(const std::string& name, const Dim& dim) const {
    if (!dim.symbolic()) return absl::OkStatus();
    const std::string where = absl::StrFormat("attribute %s is %s", Quoted(name), ToString(dim));
    if (!graph_.symbolic) return Bad(where + ", which uses B; 'symbols' does not define it");
    if (dim.factor() > limits_.max_dim / graph_.max_rows) {
      return Bad(absl::StrFormat("%s; expected at most %d at the largest B", where, limits_.max_dim));
    }
    return absl::OkStatus();
  }

  absl::Status CheckNames() const {
    std::set<std::string> inputs, constants, outputs;
    for (const GraphInput& input : graph_.inputs) RETURN_IF_ERROR(CheckName(inputs, input.name, "input"));
    for (const Constant& constant : graph_.constants) {
      if (constant.name.empty()) continue;
      RETURN_IF_ERROR(CheckName(constants, constant.name, "constant"));
      if (constant.name == "__metadata__" || constant.name.starts_with("__pad.")) {
        return Bad(absl::StrFormat("constant name %s is reserved in weights files", Quoted(constant.name)));
      }
    }
    for (const GraphOutput& output : graph_.outputs) RETURN_IF_ERROR(CheckName(outputs, output.name, "output"));
    return absl::OkStatus();
  }

  static absl::Status CheckName(std::set<std::string>& seen, const std::string& name, const char* kind) {
    if (name.empty()) return Bad(absl::StrFormat("an %s has no name", kind));
    if (!seen.insert(name).second) return Bad(absl::StrFormat("two %ss are named %s", kind, Quoted(name)));
    return absl::OkStatus();
  }

  const Graph& graph_;
  const GraphLimits& limits_;
  std::vector<bool> defined_;
};

}  // namespace

absl::Status CheckStructure(const Graph& graph, const GraphLimits& limits) {
  return StructureChecker(graph, limits).Run();
}

}  // namespace rml
