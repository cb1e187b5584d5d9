#include "engine/fusion/linear_epilogue.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/fusion/constants.h"
#include "engine/ops/fused_program.h"
#include "engine/ops/matmul_step.h"
#include "engine/ops/op.h"

namespace rml {
namespace {

class LinearMatcher {
 public:
  LinearMatcher(const Graph& graph, const Readers& readers, const std::vector<bool>& covered,
                const KernelTable& kernels)
      : graph_(graph), readers_(readers), covered_(covered), kernels_(kernels), constants_(ConstantsById(graph)) {}

  FusionResult Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (graph_.nodes[n].op == "matmul" && !covered_[n]) Match(static_cast<int>(n));
    }
    return std::move(result_);
  }

 private:
  void Match(int n) {
    const Node& node = graph_.nodes[n];
    const std::vector<std::optional<ConstTensorView>> constants = {constants_[node.inputs[0]],
                                                                   constants_[node.inputs[1]]};
    const OpAttrs no_attrs;
    const CompileContext context{graph_, node, constants, no_attrs, kernels_};
    if (!IsLinear(context)) {
      Refuse(n, "the right-hand side is no constant matrix");
      return;
    }
    FusedNodes fused{.label = "matmul", .nodes = {n}, .inputs = node.inputs, .outputs = node.outputs};
    LinearEpilogue epilogue;
    std::string why_not;
    while (Extend(fused, epilogue, why_not)) {
    }
    if (fused.nodes.size() < 2) {
      Refuse(n, why_not);
      return;
    }
    fused.step = MakeLinearStep(context, epilogue);
    result_.fused.push_back(std::move(fused));
  }

  // Takes the only reader of the last value into the step; false with the reason if it does not fit.
  bool Extend(FusedNodes& fused, LinearEpilogue& epilogue, std::string& why_not) {
    const ValueId value = fused.outputs[0];
    const int reader = readers_.only_reader(value);
    if (epilogue.activation != nullptr) return false;
    if (reader < 0 || covered_[reader]) {
      why_not = "its result is a graph output, is read more than once, or belongs to another step";
      return false;
    }
    const Node& node = graph_.nodes[reader];
    if (node.op == "add") {
      if (!TakeAdd(node, value, fused, epilogue)) {
        why_not = absl::StrCat(graph_.NodeLabel(reader), " adds neither a constant [N] nor a value of the same shape");
        return false;
      }
    } else if (const UnaryFn activation = Activation(node)) {
      epilogue.activation = activation;
    } else {
      why_not = absl::StrCat(graph_.NodeLabel(reader), " is neither an add nor an activation");
      return false;
    }
    absl::StrAppend(&fused.label, "+", node.op);
    fused.nodes.push_back(reader);
    fused.outputs = node.outputs;
    return true;
  }

  bool TakeAdd(const Node& node, ValueId value, FusedNodes& fused, LinearEpilogue& epilogue) const {
    const ValueId other = node.inputs[0] == value ? node.inputs[1] : node.inputs[0];
    const std::vector<Dim> result = CanonicalShape(graph_.values[value].shape);
    if (graph_.values[node.outputs[0]].shape != graph_.values[value].shape || result.empty()) return false;
    const std::vector<Dim> shape = CanonicalShape(graph_.values[other].shape);
    if (constants_[other]) {
      if (epilogue.bias != nullptr || epilogue.has_addend || shape.size() != 1 || shape[0] != result.back())
        return false;
      epilogue.bias = static_cast<const float*>(constants_[other]->data);
      return true;
    }
    if (epilogue.has_addend || shape != result) return false;
    epilogue.has_addend = true;
    fused.inputs.push_back(other);
    return true;
  }

  UnaryFn Activation(const Node& node) const {
    if (node.op == "relu" || node.op == "tanh" || node.op == "sigmoid") return UnaryKernel(kernels_, node.op);
    if (node.op != "gelu") return nullptr;
    for (const auto& [name, attr] : node.attrs) {
      if (name == "approximate") return UnaryKernel(kernels_, "gelu", std::get<std::string>(attr));
    }
    return UnaryKernel(kernels_, "gelu");
  }

  void Refuse(int n, const std::string& why) {
    result_.refused.push_back(absl::StrCat(graph_.NodeLabel(n), ": ", why));
  }

  const Graph& graph_;
  const Readers& readers_;
  const std::vector<bool>& covered_;
  const KernelTable& kernels_;
  std::vector<std::optional<ConstTensorView>> constants_;
  FusionResult result_;
};

}  // namespace

FusionResult FuseLinear(const Graph& graph, const Readers& readers, const std::vector<bool>& covered,
                        const KernelTable& kernels) {
  return LinearMatcher(graph, readers, covered, kernels).Run();
}

}  // namespace rml
