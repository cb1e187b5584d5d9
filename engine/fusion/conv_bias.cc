#include "engine/fusion/conv_bias.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "engine/ops/conv2d_step.h"
#include "engine/ops/op.h"

namespace rml {
namespace {

// Whether a constant of this shape adds one value per channel to [N, O, H, W].
bool IsPerChannel(const Shape& shape, int64_t channels) {
  if (channels == 1 && shape.num_elements() == 1) return shape.rank() <= 4;
  return shape == Shape{channels, 1, 1} || shape == Shape{1, channels, 1, 1};
}

FusedNodes Fuse(const FusionContext& context, int n, int reader, const float* bias) {
  const Node& conv = context.graph.nodes[n];
  // The graph has been checked, so its attributes resolve.
  const OpAttrs attrs = *ResolveAttrs(*FindOp(conv.op), conv.attrs, context.graph.min_rows);
  FusedNodes fused{.label = "conv2d+add",
                   .nodes = {n, reader},
                   .inputs = conv.inputs,
                   .outputs = context.graph.nodes[reader].outputs,
                   .attrs_node = n};
  fused.step =
      MakeConv2dStep({context.graph, conv, context.InputConstants(conv), attrs, context.kernels}, {.bias = bias});
  return fused;
}

FusionMatch Match(const FusionContext& context, int n) {
  const Graph& graph = context.graph;
  const Node& conv = graph.nodes[n];
  const ValueId value = conv.outputs[0];
  const int reader = context.readers.only_reader(value);
  if (conv.inputs.size() > 2) return "it has a bias of its own";
  if (reader < 0) return "its result is a graph output or is read more than once";
  if (reader != context.Next(n) || context.covered[reader] || graph.nodes[reader].op != "add") {
    return "the next node is no add of its result";
  }
  const Node& add = graph.nodes[reader];
  const ValueId other = add.inputs[0] == value ? add.inputs[1] : add.inputs[0];
  const std::optional<ConstTensorView>& bias = context.constants[other];
  const int64_t channels = graph.values[conv.inputs[1]].shape[0].factor();
  if (!bias || !IsPerChannel(bias->shape, channels)) {
    return absl::StrCat(graph.NodeLabel(reader), " adds no constant of one value per channel");
  }
  return Fuse(context, n, reader, static_cast<const float*>(bias->data));
}

}  // namespace

FusionResult FoldConvBias(const FusionContext& context) { return MatchNodes(context, "conv2d", &Match); }

}  // namespace rml
