#include "engine/exec/plan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/exec/memory_plan.h"
#include "engine/exec/width.h"
#include "engine/ops/check.h"
#include "engine/ops/copy_step.h"

namespace rml {
namespace {

// Memory that values lie in. Arena buffers get their place once all lives are known.
struct PlanBuffer {
  Operand::Base base = Operand::Base::kArena;
  int index = 0;
  const void* constant = nullptr;
  BufferLife life{};
  int alias_of = -1;  // an arena buffer written in place of another
};

// Where a value is: a view into a buffer.
struct Placement {
  int buffer = -1;
  View view;
};

struct PendingOperand {
  int buffer;
  int64_t offset_elements = 0;
  bool contiguous = true;  // elements lie in order without gaps
};

class PlanBuilder {
 public:
  PlanBuilder(const ProgramImpl& program, const ExecutorOptions& options, Plan& plan)
      : program_(program), options_(options), plan_(plan) {
    placements_.resize(program.graph.values.size());
    contiguous_.resize(program.graph.values.size());
  }

  absl::Status Build() {
    PlaceInputsAndConstants();
    for (size_t i = 0; i < program_.steps.size(); ++i) {
      RETURN_IF_ERROR(Annotate(AddStep(static_cast<int>(i)), absl::StrFormat("step '%s'", program_.steps[i].label)));
    }
    CopyViewOutputs();
    ReuseInPlace();
    return AssignMemory();
  }

 private:
  int NewBuffer(PlanBuffer buffer) {
    buffers_.push_back(buffer);
    return static_cast<int>(buffers_.size()) - 1;
  }

  void PlaceInputsAndConstants() {
    const Graph& graph = program_.graph;
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const ValueId id = graph.inputs[i].id;
      const int buffer = NewBuffer({.base = Operand::Base::kInput, .index = static_cast<int>(i)});
      placements_[id] = {buffer, View::Contiguous(plan_.types[id])};
    }
    for (const Constant& constant : graph.constants) PlaceConstant(constant);
    for (const Constant& constant : program_.folded) PlaceConstant(constant);
    output_of_.assign(graph.values.size(), -1);
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      if (output_of_[graph.outputs[i].id] < 0) output_of_[graph.outputs[i].id] = static_cast<int>(i);
    }
  }

  void PlaceConstant(const Constant& constant) {
    const int buffer = NewBuffer({.base = Operand::Base::kConstant, .constant = constant.data});
    placements_[constant.id] = {buffer, View::Contiguous(plan_.types[constant.id])};
  }

  absl::Status AddStep(int index) {
    const ProgramStep& step = program_.steps[index];
    OpAttrs attrs;
    if (step.attrs_node >= 0) {
      const Node& node = program_.graph.nodes[step.attrs_node];
      ASSIGN_OR_RETURN(attrs, ResolveAttrs(*FindOp(node.op), node.attrs, plan_.rows));
    }
    if (step.step->is_view()) return AddView(index, attrs);

    std::vector<View> inputs;
    std::vector<PendingOperand> operands;
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      Placement placement = placements_[step.inputs[i]];
      const int input = static_cast<int>(i);
      if (!step.step->Prepared(input) && !step.step->ReadsInPlace(input, placement.view)) {
        placement = ContiguousCopy(step.inputs[i], index);
      }
      inputs.push_back(placement.view);
      operands.push_back({placement.buffer, placement.view.offset, placement.view.contiguous()});
    }
    std::vector<View> outputs;
    for (ValueId id : step.outputs) {
      const int output = output_of_[id];
      const int buffer = output >= 0 ? NewBuffer({.base = Operand::Base::kOutput, .index = output})
                                     : NewBuffer({.life = {.bytes = plan_.types[id].shape.num_bytes()}});
      placements_[id] = {buffer, View::Contiguous(plan_.types[id])};
      outputs.push_back(placements_[id].view);
      operands.push_back({buffer});
    }
    const BindContext context{.attrs = attrs, .inputs = inputs, .outputs = outputs, .max_width = options_.num_threads};
    ASSIGN_OR_RETURN(std::unique_ptr<BoundStep> bound, step.step->Bind(context));
    AddBound(std::move(bound), index, std::move(operands), static_cast<int>(step.outputs.size()));
    return absl::OkStatus();
  }

  absl::Status AddView(int index, const OpAttrs& attrs) {
    const ProgramStep& step = program_.steps[index];
    const ValueId in = step.inputs[0];
    const ValueId out = step.outputs[0];
    const Shape& shape = plan_.types[out].shape;
    Placement source = placements_[in];
    std::optional<View> view = step.step->ViewOf(attrs, source.view, shape);
    if (!view) {
      source = ContiguousCopy(in, index);
      view = step.step->ViewOf(attrs, source.view, shape);
    }
    if (!view) return absl::InternalError("a contiguous input has no view of the output's shape");
    placements_[out] = {source.buffer, *view};
    return absl::OkStatus();
  }

  // A contiguous copy of a value, made once for all its readers.
  Placement ContiguousCopy(ValueId id, int program_step) {
    if (contiguous_[id].buffer >= 0) return contiguous_[id];
    const Placement& source = placements_[id];
    const View target = View::Contiguous(plan_.types[id]);
    const int buffer = NewBuffer({.life = {.bytes = target.shape.num_bytes()}});
    AddCopy(source, buffer, program_step);
    contiguous_[id] = {buffer, target};
    return contiguous_[id];
  }

  void AddCopy(const Placement& source, int target_buffer, int program_step) {
    AddBound(BindCopy(source.view), program_step, {{source.buffer, source.view.offset}, {target_buffer}}, 1);
    is_copy_.back() = true;
  }

  void AddBound(std::unique_ptr<BoundStep> bound, int program_step, std::vector<PendingOperand> operands,
                int num_outputs) {
    const int position = static_cast<int>(plan_.steps.size());
    const int num_inputs = static_cast<int>(operands.size()) - num_outputs;
    if (bound->scratch_bytes() > 0) {
      operands.push_back({NewBuffer({.life = {.bytes = bound->scratch_bytes()}})});
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      BufferLife& life = buffers_[operands[i].buffer].life;
      if (static_cast<int>(i) >= num_inputs) life.first = position;
      life.last = position;
    }
    const int width = options_.width_policy == WidthPolicy::kAll ? options_.num_threads
                                                                 : ChooseWidth(bound->cost(), options_.num_threads);
    plan_.max_width = std::max(plan_.max_width, width);
    plan_.steps.push_back({std::move(bound), program_step, static_cast<int>(pending_.size()), width});
    num_inputs_.push_back(num_inputs);
    is_copy_.push_back(false);
    pending_.insert(pending_.end(), operands.begin(), operands.end());
  }

  // Graph outputs that are views, or name a value a second time, are copied into their own memory.
  void CopyViewOutputs() {
    const Graph& graph = program_.graph;
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      const ValueId id = graph.outputs[i].id;
      const Placement source = placements_[id];
      const PlanBuffer& at = buffers_[source.buffer];
      if (at.base == Operand::Base::kOutput && at.index == static_cast<int>(i)) continue;
      const int buffer = NewBuffer({.base = Operand::Base::kOutput, .index = static_cast<int>(i)});
      AddCopy(source, buffer, StepOf(id));
    }
  }

  int StepOf(ValueId id) const {
    for (size_t i = 0; i < program_.steps.size(); ++i) {
      const auto& outputs = program_.steps[i].outputs;
      if (std::find(outputs.begin(), outputs.end(), id) != outputs.end()) return static_cast<int>(i);
    }
    return 0;
  }

  // Lets a step write its first output over an input that nothing reads afterwards.
  void ReuseInPlace() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const PlanStep& step = plan_.steps[s];
      if (is_copy_[s]) continue;
      const Step& compiled = *program_.steps[step.program_step].step;
      PlanBuffer& output = buffers_[pending_[step.first_operand + num_inputs_[s]].buffer];
      if (output.base != Operand::Base::kArena) continue;
      for (int i = 0; i < num_inputs_[s]; ++i) {
        if (!compiled.CanOverwrite(i) || !DiesHere(s, i, output)) continue;
        output.alias_of = pending_[step.first_operand + i].buffer;
        PlanBuffer& root = buffers_[Root(output.alias_of)];
        root.life.last = std::max(root.life.last, output.life.last);
        break;
      }
    }
  }

  int Root(int buffer) const {
    while (buffers_[buffer].alias_of >= 0) buffer = buffers_[buffer].alias_of;
    return buffer;
  }

  // Whether input i of step s is a whole arena buffer of the output's size that only this operand reads, for the last
  // time.
  bool DiesHere(size_t s, int i, const PlanBuffer& output) const {
    const int first = plan_.steps[s].first_operand;
    const int root = Root(pending_[first + i].buffer);
    const PlanBuffer& input = buffers_[root];
    const PendingOperand& operand = pending_[first + i];
    if (input.base != Operand::Base::kArena || operand.offset_elements != 0 || !operand.contiguous) return false;
    if (input.life.last != static_cast<int>(s) || input.life.bytes != output.life.bytes) return false;
    for (int other = 0; other < num_inputs_[s]; ++other) {
      if (other != i && Root(pending_[first + other].buffer) == root) return false;
    }
    return true;
  }

  absl::Status AssignMemory() {
    std::vector<BufferLife> lives;
    std::vector<int> slot(buffers_.size(), -1);
    for (size_t b = 0; b < buffers_.size(); ++b) {
      if (buffers_[b].base != Operand::Base::kArena || buffers_[b].alias_of >= 0) continue;
      slot[b] = static_cast<int>(lives.size());
      lives.push_back(buffers_[b].life);
    }
    ASSIGN_OR_RETURN(const MemoryPlan memory, PlanMemory(lives));
    plan_.arena_bytes = memory.arena_bytes;
    for (const PendingOperand& pending : pending_) {
      const int root = Root(pending.buffer);
      const PlanBuffer& buffer = buffers_[root];
      Operand operand{buffer.base, buffer.index, pending.offset_elements * kElementBytes, buffer.constant};
      if (buffer.base == Operand::Base::kArena) operand.offset_bytes += memory.offsets[slot[root]];
      if (buffer.base == Operand::Base::kInput || buffer.base == Operand::Base::kOutput) {
        plan_.io_operands.push_back(static_cast<int>(plan_.operands.size()));
      }
      plan_.operands.push_back(operand);
    }
    plan_.pointers.assign(plan_.operands.size(), nullptr);
    return absl::OkStatus();
  }

  const ProgramImpl& program_;
  const ExecutorOptions& options_;
  Plan& plan_;
  std::vector<PlanBuffer> buffers_;
  std::vector<Placement> placements_;  // by value id
  std::vector<Placement> contiguous_;  // by value id: the copy made for readers that need one
  std::vector<int> output_of_;         // by value id: the graph output that it is first, or -1
  std::vector<PendingOperand> pending_;
  std::vector<int> num_inputs_;  // per plan step
  std::vector<bool> is_copy_;    // per plan step
};

}  // namespace

absl::StatusOr<std::unique_ptr<Plan>> MakePlan(const ProgramImpl& program, int64_t rows,
                                               const ExecutorOptions& options) {
  auto plan = std::make_unique<Plan>();
  plan->rows = rows;
  ASSIGN_OR_RETURN(plan->types, InferTypes(program.graph, rows));
  RETURN_IF_ERROR(PlanBuilder(program, options, *plan).Build());
  return plan;
}

}  // namespace rml
