#include "tests/engine/random/base_run.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/exec/flush_constants.h"
#include "engine/ops/check.h"
#include "engine/ops/reference.h"
#include "tests/engine/random/node_tolerance.h"

namespace rml {
namespace {

// Every value's elements: inputs, constants as the engine flushes them, and what `computed` has.
std::vector<ConstTensorView> ValueViews(const Graph& graph, int64_t rows, const std::vector<Tensor>& inputs,
                                        const std::map<ValueId, Tensor>& computed) {
  std::vector<ConstTensorView> views(graph.values.size());
  for (size_t i = 0; i < inputs.size(); ++i) views[graph.inputs[i].id] = inputs[i].view();
  for (const Constant& constant : graph.constants) {
    const Value& value = graph.values[constant.id];
    views[constant.id] = {value.dtype, ShapeAt(value, rows), constant.data};
  }
  for (const auto& [id, tensor] : computed) views[id] = tensor.view();
  return views;
}

std::string Describe(const Graph& graph, size_t node, const std::vector<ConstTensorView>& views) {
  std::string text = graph.NodeLabel(node);
  for (ValueId id : graph.nodes[node].inputs) {
    absl::StrAppend(&text, " ", ToString(TensorType{views[id].dtype, views[id].shape}));
  }
  return text;
}

}  // namespace

absl::StatusOr<BaseRunner> BaseRunner::Make(const RandomCase& random_case) {
  BaseRunner runner;
  runner.graph_ = WithAllOutputs(random_case.graph);
  ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program, Program::Compile(runner.graph_, {.fuse = false}));
  ASSIGN_OR_RETURN(runner.executor_, Executor::Create(program));
  return runner;
}

absl::StatusOr<BaseRun> BaseRunner::Run(std::vector<Tensor> inputs) const {
  std::vector<Tensor> outputs;
  RETURN_IF_ERROR(executor_->Run(ViewsOf(inputs), outputs));
  BaseRun run{std::move(inputs), {}};
  for (size_t i = 0; i < outputs.size(); ++i) run.values.insert_or_assign(graph_.outputs[i].id, std::move(outputs[i]));
  return run;
}

std::string CheckNodes(const Graph& graph, int64_t rows, const BaseRun& run) {
  Graph flushed = graph;
  if (const absl::Status status = FlushConstants(flushed); !status.ok()) return std::string(status.message());
  const std::vector<ConstTensorView> views = ValueViews(flushed, rows, run.inputs, run.values);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const OpDef& op = *FindOp(node.op);
    const OpAttrs attrs = *ResolveAttrs(op, node.attrs, rows);
    NodeRun node_run{op, attrs, {}};
    for (ValueId id : node.inputs) node_run.inputs.push_back(views[id]);
    const auto expected = RunNodeReference(node_run);
    if (!expected.ok())
      return absl::StrCat(Describe(graph, n, views), ": the reference: ", expected.status().ToString());
    const std::vector<OutputTolerance> tolerances = TolerancesOf(node_run, *expected);
    for (size_t i = 0; i < expected->size(); ++i) {
      const std::string wrong = Disagreement(views[node.outputs[i]], (*expected)[i].view(), tolerances[i]);
      if (!wrong.empty()) return absl::StrFormat("%s: output %d: %s", Describe(graph, n, views), i, wrong);
    }
  }
  return "";
}

std::string CheckReferenceChain(const Graph& all_outputs, int64_t rows, const BaseRun& run) {
  const auto whole = RunReference(all_outputs, ViewsOf(run.inputs));
  if (!whole.ok()) return absl::StrCat("RunReference: ", whole.status().ToString());
  std::map<ValueId, Tensor> computed;
  for (size_t n = 0; n < all_outputs.nodes.size(); ++n) {
    const Node& node = all_outputs.nodes[n];
    const OpAttrs attrs = *ResolveAttrs(*FindOp(node.op), node.attrs, rows);
    const std::vector<ConstTensorView> views = ValueViews(all_outputs, rows, run.inputs, computed);
    NodeRun node_run{*FindOp(node.op), attrs, {}};
    for (ValueId id : node.inputs) node_run.inputs.push_back(views[id]);
    auto outputs = RunNodeReference(node_run);
    if (!outputs.ok()) return absl::StrCat(all_outputs.NodeLabel(n), ": ", outputs.status().ToString());
    for (size_t i = 0; i < outputs->size(); ++i) computed[node.outputs[i]] = std::move((*outputs)[i]);
  }
  for (size_t i = 0; i < whole->size(); ++i) {
    const GraphOutput& output = all_outputs.outputs[i];
    const std::string differs = BitDifference((*whole)[i], computed[output.id]);
    if (!differs.empty()) return absl::StrCat("RunReference: output '", output.name, "' ", differs);
  }
  return "";
}

std::string BitDifference(const Tensor& actual, const Tensor& expected) {
  if (actual.dtype() != expected.dtype() || !(actual.shape() == expected.shape())) {
    return absl::StrFormat("is %s; expected %s", ToString(TensorType{actual.dtype(), actual.shape()}),
                           ToString(TensorType{expected.dtype(), expected.shape()}));
  }
  const int64_t count = actual.num_elements();
  if (count == 0 || std::memcmp(actual.raw(), expected.raw(), 4 * count) == 0) return "";
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t a = static_cast<const uint32_t*>(actual.raw())[i];
    const uint32_t e = static_cast<const uint32_t*>(expected.raw())[i];
    if (a == e) continue;
    if (actual.dtype() == DType::kI32) {
      return absl::StrFormat("has %d at element %d of %s; expected %d", static_cast<int32_t>(a), i,
                             ToString(actual.shape()), static_cast<int32_t>(e));
    }
    const float x = actual.data<float>()[i], y = expected.data<float>()[i];
    if (std::isnan(x) && std::isnan(y)) continue;
    return absl::StrFormat("has %.9g (%08x) at element %d of %s; expected %.9g (%08x)", x, a, i,
                           ToString(actual.shape()), y, e);
  }
  return "";
}

}  // namespace rml
