#include "engine/exec/executor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/buffer.h"
#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "engine/base/thread_pool.h"
#include "engine/exec/buffer_pool.h"
#include "engine/exec/check_outputs.h"
#include "engine/exec/plan.h"
#include "engine/exec/program_impl.h"
#include "engine/kernels/denormals.h"

namespace rml {

using Clock = std::chrono::steady_clock;

class ExecutorImpl {
 public:
  ExecutorImpl(std::shared_ptr<const Program> program, const ExecutorOptions& options)
      : program_(std::move(program)), options_(options) {
    if (options_.num_threads > 1) pool_ = &ThreadPool::Process();
    options_.num_threads = pool_ == nullptr ? 1 : std::min(options_.num_threads, pool_->num_threads());
    options_.max_plans = std::max(1, options_.max_plans);
  }

  absl::Status Run(absl::Span<const ConstTensorView> inputs, std::vector<Tensor>& outputs, const RunControl& control,
                   std::vector<double>* step_seconds) {
    ASSIGN_OR_RETURN(const int64_t rows, program_->CheckInputs(inputs));
    ASSIGN_OR_RETURN(Plan * plan, PlanFor(rows));
    RETURN_IF_ERROR(SizeOutputs(*plan, outputs));
    ResolveInputsAndOutputs(*plan, inputs, [&](int i) { return outputs[i].raw(); });
    return RunPlan(*plan, control, step_seconds);
  }

  absl::Status RunInto(absl::Span<const ConstTensorView> inputs, absl::Span<const TensorView> outputs,
                       const RunControl& control) {
    ASSIGN_OR_RETURN(const int64_t rows, program_->CheckInputs(inputs));
    RETURN_IF_ERROR(CheckOutputs(*program_, rows, inputs, outputs));
    ASSIGN_OR_RETURN(Plan * plan, PlanFor(rows));
    ResolveInputsAndOutputs(*plan, inputs, [&](int i) { return outputs[i].data; });
    return RunPlan(*plan, control, nullptr);
  }

  absl::StatusOr<Plan*> PlanFor(int64_t rows) {
    for (size_t i = 0; i < plans_.size(); ++i) {
      if (plans_[i]->rows != rows) continue;
      if (i > 0) std::rotate(plans_.begin(), plans_.begin() + static_cast<int64_t>(i), plans_.begin() + i + 1);
      return plans_.front().get();
    }
    ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan, MakePlan(program_->impl(), rows, options_));
    plans_.reserve(plans_.size() + 1);
    Buffer arena;
    if (plan->arena_bytes > arena_.size_bytes()) {
      absl::StatusOr<Buffer> taken = buffers_.Take(plan->arena_bytes);
      if (!taken.ok())
        return Annotate(taken.status(), absl::StrCat("working memory for ", rows, rows == 1 ? " row" : " rows"));
      arena = *std::move(taken);
    }
    // From here on nothing fails: without memory for this plan, the others and their arena are as they were.
    if (static_cast<int>(plans_.size()) >= options_.max_plans) plans_.pop_back();
    plans_.insert(plans_.begin(), std::move(plan));
    if (arena.size_bytes() > 0) {
      buffers_.Give(std::exchange(arena_, std::move(arena)));
      for (auto& kept : plans_) ResolveFixed(*kept);
    } else {
      ResolveFixed(*plans_.front());
    }
    return plans_.front().get();
  }

  absl::StatusOr<std::vector<StepInfo>> StepInfos(int64_t rows);

  void Recycle(std::vector<Tensor>& tensors) {
    for (Tensor& tensor : tensors) buffers_.Give(tensor.ReleaseBuffer());
  }

  const Program& program() const { return *program_; }
  int64_t arena_bytes() const { return arena_.size_bytes(); }

 private:
  absl::Status RunPlan(const Plan& plan, const RunControl& control, std::vector<double>* step_seconds) {
    const ScopedFlushDenormals flush;
    const ThreadPool::HotScope hot(plan.max_width > 1 ? pool_ : nullptr);
    if (step_seconds != nullptr) {
      step_seconds->resize(program_->impl().steps.size(), 0.0);
      return RunSteps<true>(plan, control, step_seconds);
    }
    return RunSteps<false>(plan, control, nullptr);
  }

  // Null where there is nothing: an empty tensor, or a constant that is packed and no longer read.
  static char* OrNoBytes(void* base) { return static_cast<char*>(base == nullptr ? NoBytes() : base); }

  // Arena and constant operands: they change only when the arena moves.
  void ResolveFixed(Plan& plan) const {
    auto* arena = static_cast<char*>(arena_.data());
    for (size_t i = 0; i < plan.operands.size(); ++i) {
      const Operand& operand = plan.operands[i];
      if (operand.base == Operand::Base::kArena) plan.pointers[i] = arena + operand.offset_bytes;
      if (operand.base == Operand::Base::kConstant) {
        // Steps write their outputs and scratch only, never a constant.
        plan.pointers[i] = OrNoBytes(const_cast<void*>(operand.constant)) + operand.offset_bytes;
      }
    }
  }

  absl::Status SizeOutputs(const Plan& plan, std::vector<Tensor>& outputs) {
    outputs.resize(plan.outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto& [dtype, shape] = plan.outputs[i];
      if (outputs[i].capacity_bytes() >= shape.num_bytes()) {
        outputs[i].Resize(dtype, shape);
      } else {
        buffers_.Give(outputs[i].ReleaseBuffer());
        absl::StatusOr<Buffer> buffer = buffers_.Take(shape.num_bytes());
        if (!buffer.ok()) return Annotate(buffer.status(), OutputLabel(i, shape));
        outputs[i].Adopt(dtype, shape, *std::move(buffer));
      }
    }
    return absl::OkStatus();
  }

  // `output_data(i)`: where output i goes.
  template <typename OutputData>
  static void ResolveInputsAndOutputs(Plan& plan, absl::Span<const ConstTensorView> inputs,
                                      const OutputData& output_data) {
    for (int i : plan.io_operands) {
      const Operand& operand = plan.operands[i];
      plan.pointers[i] = OrNoBytes(operand.base == Operand::Base::kInput ? const_cast<void*>(inputs[operand.index].data)
                                                                         : output_data(operand.index)) +
                         operand.offset_bytes;
    }
  }

  template <bool kProfiled>
  absl::Status RunSteps(const Plan& plan, const RunControl& control, std::vector<double>* step_seconds) {
    const bool watched = control.deadline != Clock::time_point::max() || control.cancelled != nullptr;
    for (const PlanStep& step : plan.steps) {
      if (watched) {
        RETURN_IF_ERROR(CheckControl(control));
      }
      const auto start = kProfiled ? Clock::now() : Clock::time_point();
      const absl::Status status =
          step.bound->Run(plan.pointers.data() + step.first_operand, {.pool = pool_, .width = step.width});
      if (!status.ok()) [[unlikely]] {
        return Annotate(status, StepLabel(step.program_step));
      }
      if (kProfiled) {
        (*step_seconds)[step.program_step] += std::chrono::duration<double>(Clock::now() - start).count();
      }
    }
    return absl::OkStatus();
  }

  static absl::Status CheckControl(const RunControl& control) {
    if (control.cancelled != nullptr && control.cancelled->load(std::memory_order_relaxed)) {
      return absl::CancelledError("the run was cancelled");
    }
    if (control.deadline != Clock::time_point::max() && Clock::now() >= control.deadline) {
      return absl::DeadlineExceededError("the deadline passed during the run");
    }
    return absl::OkStatus();
  }

  std::string StepLabel(int step) const {
    const ProgramImpl& impl = program_->impl();
    return impl.graph.NodeLabel(impl.steps[step].nodes.front());
  }

  std::string OutputLabel(size_t i, const Shape& shape) const {
    return absl::StrCat("output '", program_->outputs()[i].name, "' of shape ", ToString(shape));
  }

  std::shared_ptr<const Program> program_;
  ExecutorOptions options_;
  ThreadPool* pool_ = nullptr;
  BufferPool buffers_;
  Buffer arena_;
  std::vector<std::unique_ptr<Plan>> plans_;  // most recently used first
};

Executor::Executor(std::unique_ptr<ExecutorImpl> impl) : impl_(std::move(impl)) {}
Executor::~Executor() = default;

absl::StatusOr<std::unique_ptr<Executor>> Executor::Create(std::shared_ptr<const Program> program,
                                                           const ExecutorOptions& options) {
  if (program == nullptr) return absl::InvalidArgumentError("Executor::Create: the program is null");
  if (options.num_threads < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("Executor::Create: num_threads is ", options.num_threads, "; expected at least 1"));
  }
  return CatchOutOfMemory("making an executor", [&]() -> absl::StatusOr<std::unique_ptr<Executor>> {
    auto impl = std::make_unique<ExecutorImpl>(std::move(program), options);
    // A plan now, so that a graph that cannot be planned fails here and not in the first run.
    RETURN_IF_ERROR(impl->PlanFor(impl->program().min_rows()).status());
    return std::unique_ptr<Executor>(new Executor(std::move(impl)));
  });
}

absl::Status Executor::Run(absl::Span<const ConstTensorView> inputs, std::vector<Tensor>& outputs,
                           const RunControl& control) {
  return CatchOutOfMemory("running the model", [&] { return impl_->Run(inputs, outputs, control, nullptr); });
}

absl::Status Executor::RunInto(absl::Span<const ConstTensorView> inputs, absl::Span<const TensorView> outputs,
                               const RunControl& control) {
  return CatchOutOfMemory("running the model", [&] { return impl_->RunInto(inputs, outputs, control); });
}

absl::Status Executor::RunProfiled(absl::Span<const ConstTensorView> inputs, std::vector<Tensor>& outputs,
                                   std::vector<double>& step_seconds, const RunControl& control) {
  return CatchOutOfMemory("running the model", [&] { return impl_->Run(inputs, outputs, control, &step_seconds); });
}

void Executor::Recycle(std::vector<Tensor>& outputs) { impl_->Recycle(outputs); }

absl::StatusOr<std::vector<StepInfo>> Executor::step_info(int64_t rows) {
  return CatchOutOfMemory("listing the steps", [&] { return impl_->StepInfos(rows); });
}

absl::StatusOr<std::vector<StepInfo>> ExecutorImpl::StepInfos(int64_t rows) {
  const ProgramImpl& program = program_->impl();
  if (!program.graph.symbolic) rows = program.graph.min_rows;
  ASSIGN_OR_RETURN(const Plan* plan, PlanFor(rows));
  std::vector<StepInfo> infos;
  for (const ProgramStep& step : program.steps) {
    StepInfo info{.label = step.label, .nodes = step.nodes, .kernel = "view"};
    for (ValueId id : step.outputs) info.outputs.push_back(plan->types[id].shape);
    infos.push_back(std::move(info));
  }
  for (const PlanStep& step : plan->steps) {
    StepInfo& info = infos[step.program_step];
    const StepCost cost = step.bound->cost();
    info.kernel = info.kernel == "view" ? step.bound->kernel() : absl::StrCat(info.kernel, " + ", step.bound->kernel());
    info.width = std::max(info.width, step.width);
    info.flops += cost.flops;
    info.bytes += cost.bytes;
  }
  return infos;
}

int64_t Executor::arena_bytes() const { return impl_->arena_bytes(); }
const Program& Executor::program() const { return impl_->program(); }

}  // namespace rml
