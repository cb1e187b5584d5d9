#include "engine/exec/compile.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/status_macros.h"
#include "engine/exec/flush_constants.h"
#include "engine/exec/fold_constants.h"
#include "engine/exec/release_constants.h"
#include "engine/fusion/constants.h"
#include "engine/fusion/conv_bias.h"
#include "engine/fusion/elementwise_groups.h"
#include "engine/fusion/linear_epilogue.h"
#include "engine/fusion/readers.h"
#include "engine/kernels/dispatch.h"
#include "engine/ops/check.h"

namespace rml {
namespace {

constexpr char kFoldConstants[] = "fold_constants";

struct NamedPass {
  const char* name;
  FusionPass run;
};

// In order, after fold_constants: a node that one pass takes is closed to the next.
constexpr auto kFusions = std::to_array<NamedPass>(
    {{"fold_conv_bias", &FoldConvBias}, {"fuse_linear", &FuseLinear}, {"fuse_elementwise", &FuseElementwise}});

std::vector<TensorInfo> Infos(const Graph& graph, const auto& items) {
  std::vector<TensorInfo> infos;
  for (const auto& item : items) {
    infos.push_back({item.name, graph.values[item.id].dtype, graph.values[item.id].shape, item.row_independent});
  }
  return infos;
}

class Compiler {
 public:
  Compiler(ProgramImpl& program, const ProgramOptions& options, const KernelTable& kernels)
      : program_(program), graph_(program.graph), options_(options), kernels_(kernels) {}

  absl::Status Run() {
    const Readers readers(graph_);
    constants_ = ConstantsById(graph_);
    folded_.assign(graph_.nodes.size(), false);
    covered_.assign(graph_.nodes.size(), false);
    fused_at_.resize(graph_.nodes.size());
    if (Enabled(kFoldConstants)) Fold(readers);
    for (const NamedPass& pass : kFusions) {
      if (Enabled(pass.name)) RETURN_IF_ERROR(Fuse(pass, readers));
    }
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (*fused_at_[n].step != nullptr) {
        AddFused(std::move(fused_at_[n]));
      } else if (!covered_[n] && !folded_[n]) {
        RETURN_IF_ERROR(AddNode(static_cast<int>(n)));
      }
    }
    for (const ProgramStep& step : program_.steps) program_.memory.prepared += step.step->prepared_bytes();
    ReleaseConstants(program_);
    return absl::OkStatus();
  }

 private:
  bool Enabled(const char* pass) const {
    const auto& disabled = options_.disabled_passes;
    return options_.fuse && std::find(disabled.begin(), disabled.end(), pass) == disabled.end();
  }

  void Fold(const Readers& readers) {
    FoldedConstants result = FoldConstants(graph_, readers, kernels_);
    folded_ = std::move(result.nodes);
    program_.folded = std::move(result.constants);
    for (const Constant& constant : program_.folded) constants_[constant.id] = ViewOf(graph_, constant);
    program_.passes.push_back(std::move(result.report));
  }

  absl::Status Fuse(const NamedPass& pass, const Readers& readers) {
    FusionResult result = pass.run({graph_, readers, constants_, folded_, covered_, kernels_});
    PassReport report{pass.name, {}, std::move(result.refused)};
    for (FusedNodes& fused : result.fused) {
      report.matched.push_back(absl::StrCat(fused.label, ": nodes ", absl::StrJoin(fused.nodes, ", ")));
      RETURN_IF_ERROR(Annotate(fused.step.status(), graph_.NodeLabel(fused.nodes.front())));
      for (int n : fused.nodes) covered_[n] = true;
      const int at = fused.nodes.back();
      fused_at_[at] = std::move(fused);
    }
    program_.passes.push_back(std::move(report));
    return absl::OkStatus();
  }

  void AddFused(FusedNodes fused) {
    program_.steps.push_back({.label = std::move(fused.label),
                              .nodes = std::move(fused.nodes),
                              .inputs = std::move(fused.inputs),
                              .outputs = std::move(fused.outputs),
                              .attrs_node = fused.attrs_node,
                              .step = *std::move(fused.step)});
  }

  absl::Status AddNode(int n) {
    const Node& node = graph_.nodes[n];
    const OpDef& op = *FindOp(node.op);
    ASSIGN_OR_RETURN(const OpAttrs attrs, ResolveAttrs(op, node.attrs, graph_.min_rows));
    std::vector<std::optional<ConstTensorView>> constants;
    for (ValueId id : node.inputs) constants.push_back(constants_[id]);
    ASSIGN_OR_RETURN(std::unique_ptr<Step> step,
                     Annotate(CompileOp({graph_, node, constants, attrs, kernels_}), graph_.NodeLabel(n)));
    program_.steps.push_back({.label = node.op,
                              .nodes = {n},
                              .inputs = node.inputs,
                              .outputs = node.outputs,
                              .attrs_node = n,
                              .step = std::move(step)});
    return absl::OkStatus();
  }

  ProgramImpl& program_;
  const Graph& graph_;
  const ProgramOptions& options_;
  const KernelTable& kernels_;
  std::vector<std::optional<ConstTensorView>> constants_;
  std::vector<bool> folded_;          // by node: its results are constants, it never runs
  std::vector<bool> covered_;         // by node: belongs to a fused step
  std::vector<FusedNodes> fused_at_;  // by node: the fused step that runs where it stood
};

absl::Status CheckOptions(const ProgramOptions& options) {
  for (const std::string& name : options.disabled_passes) {
    const auto& known = Program::PassNames();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("no pass is named '%s'; there are %s", name, absl::StrJoin(known, ", ")));
    }
  }
  return absl::OkStatus();
}

}  // namespace

const std::vector<std::string>& Program::PassNames() {
  static const auto* names = [] {
    std::vector<std::string> list{kFoldConstants};
    for (const NamedPass& pass : kFusions) list.push_back(pass.name);
    return new std::vector<std::string>(std::move(list));
  }();
  return *names;
}

absl::StatusOr<std::unique_ptr<ProgramImpl>> CompileGraph(Graph graph, const ProgramOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  RETURN_IF_ERROR(SelectKernels());
  const KernelTable* kernels = &ActiveKernels();
  if (!options.isa.empty()) {
    ASSIGN_OR_RETURN(kernels, FindKernels(options.isa));
  }
  RETURN_IF_ERROR(CheckGraph(graph));
  auto program = std::make_unique<ProgramImpl>();
  program->kernels = kernels;
  program->graph = std::move(graph);
  RETURN_IF_ERROR(FlushConstants(program->graph));
  program->inputs = Infos(program->graph, program->graph.inputs);
  program->outputs = Infos(program->graph, program->graph.outputs);
  RETURN_IF_ERROR(Compiler(*program, options, *kernels).Run());
  return program;
}

}  // namespace rml
