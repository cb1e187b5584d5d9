#include "engine/exec/fold_constants.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/exec/executor.h"

namespace rml {
namespace {

constexpr int64_t kFreeBytes = int64_t{16} << 20;

bool HoldsB(const std::vector<Dim>& dims) {
  return std::any_of(dims.begin(), dims.end(), [](const Dim& dim) { return dim.symbolic(); });
}

bool HoldsB(const Attrs& attrs) {
  return std::any_of(attrs.begin(), attrs.end(), [](const auto& attr) {
    const Dim* dim = std::get_if<Dim>(&attr.second);
    const auto* dims = std::get_if<std::vector<Dim>>(&attr.second);
    return (dim != nullptr && dim->symbolic()) || (dims != nullptr && HoldsB(*dims));
  });
}

class Folder {
 public:
  Folder(const Graph& graph, const Readers& readers, const KernelTable& kernels)
      : graph_(graph), readers_(readers), kernels_(kernels), known_(graph.values.size(), false) {
    folded_.nodes.assign(graph.nodes.size(), false);
  }

  FoldedConstants Run() {
    for (const Constant& constant : graph_.constants) {
      known_[constant.id] = true;
      bytes_left_ += 2 * Bytes(constant.id);
    }
    for (size_t n = 0; n < graph_.nodes.size(); ++n) Consider(n);
    KeepBroadcastsAsViews();
    if (!Compute().ok()) GiveUp();
    return std::move(folded_);
  }

 private:
  int64_t Bytes(ValueId id) const { return ShapeAt(graph_.values[id], graph_.min_rows).num_bytes(); }

  void Consider(size_t n) {
    const Node& node = graph_.nodes[n];
    if (!std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) { return known_[id]; })) return;
    const std::string why_not = WhyNot(node);
    if (!why_not.empty()) return Refuse(n, why_not);
    folded_.nodes[n] = true;
    for (ValueId id : node.outputs) {
      known_[id] = true;
      bytes_left_ -= Bytes(id);
    }
  }

  std::string WhyNot(const Node& node) const {
    if (HoldsB(node.attrs)) return "its attributes depend on B";
    int64_t bytes = 0;
    for (ValueId id : node.outputs) {
      if (HoldsB(graph_.values[id].shape)) return "its shape depends on B";
      if (readers_.is_graph_output(id)) return "its result is a graph output";
      for (int reader : readers_.of(id)) {
        const Node& other = graph_.nodes[reader];
        if (other.op == "pow" && other.inputs[1] == id) return graph_.NodeLabel(reader) + " has it as its exponent";
      }
      if (__builtin_add_overflow(bytes, Bytes(id), &bytes)) bytes = INT64_MAX;
    }
    if (bytes <= bytes_left_) return "";
    return absl::StrFormat("its result takes %d bytes; %d are left for results", bytes, bytes_left_);
  }

  bool ReadByANodeThatRuns(ValueId id) const {
    const std::vector<int>& readers = readers_.of(id);
    return std::any_of(readers.begin(), readers.end(), [&](int reader) { return !folded_.nodes[reader]; });
  }

  // Backwards, so that what reads a node has been decided before it.
  void KeepBroadcastsAsViews() {
    for (size_t n = graph_.nodes.size(); n-- > 0;) {
      const Node& node = graph_.nodes[n];
      if (!folded_.nodes[n] || node.op != "broadcast_to" || !ReadByANodeThatRuns(node.outputs[0])) continue;
      if (Bytes(node.outputs[0]) <= Bytes(node.inputs[0])) continue;
      folded_.nodes[n] = false;
      Refuse(n, "as a view it costs nothing");
    }
  }

  // The folded nodes as a graph of their own, whose outputs are the values that are read beyond them.
  Graph FoldedGraph() {
    Graph folded;
    std::vector<ValueId> new_ids(graph_.values.size(), -1);
    const auto id_in_folded = [&](ValueId id) {
      if (new_ids[id] < 0) {
        new_ids[id] = static_cast<ValueId>(folded.values.size());
        folded.values.push_back(graph_.values[id]);
      }
      return new_ids[id];
    };
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!folded_.nodes[n]) continue;
      Node node = graph_.nodes[n];
      for (ValueId& id : node.inputs) id = id_in_folded(id);
      for (ValueId& id : node.outputs) id = id_in_folded(id);
      folded.nodes.push_back(std::move(node));
      for (ValueId id : graph_.nodes[n].outputs) {
        if (!ReadByANodeThatRuns(id)) continue;
        folded.outputs.push_back({.id = new_ids[id], .name = absl::StrCat(id)});
        folded_.constants.emplace_back().id = id;
      }
    }
    for (Constant constant : graph_.constants) {
      if (new_ids[constant.id] < 0) continue;
      constant.id = new_ids[constant.id];
      folded.constants.push_back(std::move(constant));
    }
    return folded;
  }

  absl::Status Compute() {
    Graph graph = FoldedGraph();
    if (graph.outputs.empty()) {  // nothing to fold, or results that nobody reads
      std::fill(folded_.nodes.begin(), folded_.nodes.end(), false);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const auto program, Program::Compile(std::move(graph), {.fuse = false, .isa = kernels_.isa}));
    ASSIGN_OR_RETURN(const auto executor, Executor::Create(program));
    std::vector<Tensor> results;
    RETURN_IF_ERROR(executor->Run({}, results));
    for (size_t i = 0; i < results.size(); ++i) {
      auto result = std::make_shared<Tensor>(std::move(results[i]));
      folded_.constants[i].data = result->raw();
      folded_.constants[i].owner = std::move(result);
    }
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!folded_.nodes[n]) continue;
      const Value& value = graph_.values[graph_.nodes[n].outputs[0]];
      folded_.report.matched.push_back(
          absl::StrCat(graph_.NodeLabel(n), ": ", DTypeName(value.dtype), ToString(value.shape)));
    }
    return absl::OkStatus();
  }

  void GiveUp() {
    std::fill(folded_.nodes.begin(), folded_.nodes.end(), false);
    folded_.constants.clear();
    folded_.report.refused.push_back("all nodes: one of them fails, and a run says which and why");
  }

  void Refuse(size_t n, const std::string& why) {
    folded_.report.refused.push_back(absl::StrCat(graph_.NodeLabel(n), ": ", why));
  }

  const Graph& graph_;
  const Readers& readers_;
  const KernelTable& kernels_;
  std::vector<bool> known_;  // by value id: a constant, or the result of a folded node
  int64_t bytes_left_ = kFreeBytes;
  FoldedConstants folded_;
};

}  // namespace

FoldedConstants FoldConstants(const Graph& graph, const Readers& readers, const KernelTable& kernels) {
  return Folder(graph, readers, kernels).Run();
}

}  // namespace rml
