#include "engine/fusion/linear_epilogue.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/ops/fused_program.h"
#include "engine/ops/matmul_step.h"
#include "engine/ops/op.h"

namespace rml {
namespace {

constexpr std::string_view kActivations[] = {"relu", "tanh", "sigmoid", "gelu"};

// The step that a product grows into.
class Linear {
 public:
  Linear(const FusionContext& context, int n) : context_(context), node_(context.graph.nodes[n]) {
    fused_.label = "matmul";
    fused_.nodes = {n};
    fused_.inputs = node_.inputs;
    fused_.outputs = node_.outputs;
  }

  FusionMatch Match() {
    const OpAttrs no_attrs;
    const auto constants = context_.InputConstants(node_);
    const CompileContext compile{context_.graph, node_, constants, no_attrs, context_.kernels};
    if (!IsLinear(compile)) return "the right-hand side is no constant matrix";
    while (Extend()) {
    }
    if (fused_.nodes.size() < 2) return why_not_;
    fused_.step = MakeLinearStep(compile, epilogue_);
    return std::move(fused_);
  }

 private:
  // Takes the only reader of the last value into the step; false, and why_not_ says why, if it does not fit.
  bool Extend() {
    const Graph& graph = context_.graph;
    const ValueId value = fused_.outputs[0];
    const int reader = context_.readers.only_reader(value);
    if (epilogue_.activation != nullptr) return false;
    if (reader < 0 || context_.covered[reader]) {
      why_not_ = "its result is a graph output, is read more than once, or belongs to another step";
      return false;
    }
    const Node& node = graph.nodes[reader];
    if (node.op == "add") {
      if (!TakeAdd(node, value)) {
        why_not_ = absl::StrCat(graph.NodeLabel(reader), " adds neither a constant [N] nor a value of the same shape");
        return false;
      }
    } else if (std::find(std::begin(kActivations), std::end(kActivations), node.op) != std::end(kActivations)) {
      epilogue_.activation = UnaryKernel(context_.kernels, node);
    } else {
      why_not_ = absl::StrCat(graph.NodeLabel(reader), " is neither an add nor an activation");
      return false;
    }
    absl::StrAppend(&fused_.label, "+", node.op);
    fused_.nodes.push_back(reader);
    fused_.outputs = node.outputs;
    return true;
  }

  bool TakeAdd(const Node& node, ValueId value) {
    const Graph& graph = context_.graph;
    const ValueId other = node.inputs[0] == value ? node.inputs[1] : node.inputs[0];
    const std::vector<Dim> result = CanonicalShape(graph.values[value].shape);
    if (graph.values[node.outputs[0]].shape != graph.values[value].shape || result.empty()) return false;
    const std::vector<Dim> shape = CanonicalShape(graph.values[other].shape);
    if (const auto& constant = context_.constants[other]) {
      if (epilogue_.bias != nullptr || epilogue_.has_addend) return false;
      if (shape.size() != 1 || shape[0] != result.back()) return false;
      epilogue_.bias = static_cast<const float*>(constant->data);
      return true;
    }
    if (epilogue_.has_addend || shape != result) return false;
    epilogue_.has_addend = true;
    fused_.inputs.push_back(other);
    return true;
  }

  const FusionContext& context_;
  const Node& node_;
  FusedNodes fused_;
  LinearEpilogue epilogue_;
  std::string why_not_;
};

FusionMatch Match(const FusionContext& context, int n) { return Linear(context, n).Match(); }

}  // namespace

FusionResult FuseLinear(const FusionContext& context) { return MatchNodes(context, "matmul", &Match); }

}  // namespace rml
