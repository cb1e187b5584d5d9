#include "engine/fusion/elementwise_groups.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/ops/fused_program.h"

namespace rml {
namespace {

// What a fusible node computes.
struct Member {
  int node = 0;
  UnaryFn unary = nullptr;
  const BinaryFns* binary = nullptr;
  bool is_copy = false;  // a reshape, or pow(x, 1)
};

bool IsReshape(const Node& node) { return node.op == "reshape" || node.op == "squeeze" || node.op == "unsqueeze"; }

// Whether an operand of `shape` lies under an output of `full` as the whole, a row, a column or a scalar. Both canonical.
bool FitsUnder(const std::vector<Dim>& shape, const std::vector<Dim>& full) {
  if (shape == full || shape.empty()) return true;
  if (full.empty()) return false;
  if (shape.size() == 1 && shape[0] == full.back()) return true;  // a row
  std::vector<Dim> column = full;
  column.back() = Dim(1);
  return shape == CanonicalShape(column);
}

class Finder {
 public:
  explicit Finder(const FusionContext& context) : context_(context), graph_(context.graph) {}

  FusionResult Run() {
    const int count = static_cast<int>(graph_.nodes.size());
    for (int n = context_.Next(-1); n < count;) {
      const int end = Grow(n);
      if (members_.size() >= 2) {
        result_.fused.push_back(MakeGroup());
      } else if (!members_.empty()) {
        Refuse(n, end);
      }
      n = std::max(end, context_.Next(n));
    }
    return std::move(result_);
  }

 private:
  // Fills members_ from `start` and returns the node after the last one looked at with success.
  int Grow(int start) {
    members_.clear();
    made_.clear();
    const int count = static_cast<int>(graph_.nodes.size());
    int n = start;
    for (; n < count && members_.size() < kMaxFusedInstructions; n = context_.Next(n)) {
      if (members_.empty()) shape_ = OutputShape(n);
      const std::optional<Member> member = AsMember(n);
      if (!member) break;
      members_.push_back(*member);
      made_.push_back(graph_.nodes[n].outputs[0]);
    }
    while (!members_.empty() && IsReshape(graph_.nodes[members_.back().node])) {
      n = members_.back().node;
      members_.pop_back();
      made_.pop_back();
    }
    return n;
  }

  std::vector<Dim> OutputShape(int n) const { return CanonicalShape(graph_.values[graph_.nodes[n].outputs[0]].shape); }
  std::vector<Dim> InputShape(const Node& node, int index) const {
    return CanonicalShape(graph_.values[node.inputs[index]].shape);
  }

  std::optional<Member> AsMember(int n) const {
    const Node& node = graph_.nodes[n];
    if (context_.covered[n] || node.outputs.size() != 1 || graph_.values[node.outputs[0]].dtype != DType::kF32 ||
        graph_.values[node.inputs[0]].dtype != DType::kF32 || OutputShape(n) != shape_) {
      return std::nullopt;
    }
    Member member{.node = n};
    if (IsReshape(node)) {
      member.is_copy = true;
      const bool inside = std::find(made_.begin(), made_.end(), node.inputs[0]) != made_.end();
      return inside ? std::optional(member) : std::nullopt;
    }
    if (node.op == "pow") return AsPow(node, member);
    member.unary = UnaryKernel(context_.kernels, node);
    if (member.unary != nullptr) {
      return InputShape(node, 0) == shape_ ? std::optional(member) : std::nullopt;
    }
    member.binary = BinaryKernel(context_.kernels, node.op);
    if (member.binary == nullptr) return std::nullopt;
    const bool fits = FitsUnder(InputShape(node, 0), shape_) && FitsUnder(InputShape(node, 1), shape_);
    return fits ? std::optional(member) : std::nullopt;
  }

  std::optional<Member> AsPow(const Node& node, Member member) const {
    const std::optional<ConstTensorView>& exponent = context_.constants[node.inputs[1]];
    if (!exponent || exponent->shape.num_elements() != 1 || InputShape(node, 0) != shape_) return std::nullopt;
    const float e = *static_cast<const float*>(exponent->data);
    if (e != 1.0f && e != 2.0f && e != 3.0f && e != 0.5f && e != -0.5f && e != -1.0f) return std::nullopt;
    member.unary = PowKernel(context_.kernels, e);
    if (e == 1.0f) {
      member.is_copy = true;
    } else if (member.unary == nullptr) {
      member.binary = BinaryKernel(context_.kernels, "pow");
    }
    return member;
  }

  FusedNodes MakeGroup() const {
    FusedNodes group;
    FusedProgram program;
    std::unordered_map<ValueId, FusedOperand> operands;
    auto operand_of = [&](ValueId id) {
      const auto [it, is_new] = operands.try_emplace(id, FusedOperand{true, static_cast<int>(group.inputs.size())});
      if (is_new) group.inputs.push_back(id);
      return it->second;
    };
    for (const Member& member : members_) {
      const Node& node = graph_.nodes[member.node];
      FusedInstruction instruction{.unary = member.unary, .binary = member.binary, .a = operand_of(node.inputs[0])};
      if (member.binary != nullptr) instruction.b = operand_of(node.inputs[1]);
      group.nodes.push_back(member.node);
      absl::StrAppend(&group.label, group.label.empty() ? "fused(" : "+", node.op);
      const ValueId id = node.outputs[0];
      if (LeavesGroup(member.node, id)) {
        instruction.output = program.num_outputs++;
        group.outputs.push_back(id);
      } else if (member.is_copy) {
        operands[id] = instruction.a;  // nobody outside sees the copy: its readers read the source
        continue;
      }
      operands[id] = {false, static_cast<int>(program.instructions.size())};
      program.instructions.push_back(instruction);
    }
    absl::StrAppend(&group.label, ")");
    program.num_inputs = static_cast<int>(group.inputs.size());
    group.step = MakeFusedStep(program);
    return group;
  }

  bool LeavesGroup(int node, ValueId id) const {
    const int last = members_.back().node;
    if (node == last || context_.readers.is_graph_output(id) || context_.readers.of(id).empty()) return true;
    return context_.readers.of(id).back() > last;
  }

  void Refuse(int n, int end) {
    if (end >= static_cast<int>(graph_.nodes.size())) return;
    result_.refused.push_back(absl::StrCat(graph_.NodeLabel(n), ": alone, ", graph_.NodeLabel(end),
                                           " after it is not fusible with it (op, shape or operand layout)"));
  }

  const FusionContext& context_;
  const Graph& graph_;
  FusionResult result_;
  // The group being grown.
  std::vector<Member> members_;
  std::vector<ValueId> made_;
  std::vector<Dim> shape_;
};

}  // namespace

FusionResult FuseElementwise(const FusionContext& context) { return Finder(context).Run(); }

}  // namespace rml
