#include "engine/fusion/conv_bias.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/fusion/constants.h"
#include "engine/ops/conv2d_step.h"
#include "engine/ops/op.h"

namespace rml {
namespace {

// Whether a constant of this shape adds one value per channel to [N, O, H, W].
bool IsPerChannel(const Shape& shape, int64_t channels) {
  if (channels == 1 && shape.num_elements() == 1) return shape.rank() <= 4;
  return shape == Shape{channels, 1, 1} || shape == Shape{1, channels, 1, 1};
}

class BiasMatcher {
 public:
  BiasMatcher(const Graph& graph, const Readers& readers, const std::vector<bool>& covered, const KernelTable& kernels)
      : graph_(graph), readers_(readers), covered_(covered), kernels_(kernels), constants_(ConstantsById(graph)) {}

  FusionResult Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (graph_.nodes[n].op == "conv2d" && !covered_[n]) Match(static_cast<int>(n));
    }
    return std::move(result_);
  }

 private:
  void Match(int n) {
    const Node& conv = graph_.nodes[n];
    const ValueId value = conv.outputs[0];
    const int reader = readers_.only_reader(value);
    if (conv.inputs.size() > 2) return Refuse(n, "it has a bias of its own");
    if (reader < 0) return Refuse(n, "its result is a graph output or is read more than once");
    if (reader != n + 1 || covered_[reader] || graph_.nodes[reader].op != "add") {
      return Refuse(n, "the next node is no add of its result");
    }
    const Node& add = graph_.nodes[reader];
    const ValueId other = add.inputs[0] == value ? add.inputs[1] : add.inputs[0];
    const std::optional<ConstTensorView>& bias = constants_[other];
    const int64_t channels = graph_.values[conv.inputs[1]].shape[0].factor();
    if (!bias || !IsPerChannel(bias->shape, channels)) {
      return Refuse(n, absl::StrCat(graph_.NodeLabel(reader), " adds no constant of one value per channel"));
    }
    result_.fused.push_back(Fuse(n, reader, static_cast<const float*>(bias->data)));
  }

  FusedNodes Fuse(int n, int reader, const float* bias) const {
    const Node& conv = graph_.nodes[n];
    // The graph has been checked, so its attributes resolve.
    const OpAttrs attrs = *ResolveAttrs(*FindOp(conv.op), conv.attrs, graph_.min_rows);
    const std::vector<std::optional<ConstTensorView>> constants = {constants_[conv.inputs[0]],
                                                                   constants_[conv.inputs[1]]};
    FusedNodes fused{.label = "conv2d+add",
                     .nodes = {n, reader},
                     .inputs = conv.inputs,
                     .outputs = graph_.nodes[reader].outputs,
                     .attrs_node = n};
    fused.step = MakeConv2dStep({graph_, conv, constants, attrs, kernels_}, {.bias = bias});
    return fused;
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

FusionResult FoldConvBias(const Graph& graph, const Readers& readers, const std::vector<bool>& covered,
                          const KernelTable& kernels) {
  return BiasMatcher(graph, readers, covered, kernels).Run();
}

}  // namespace rml
