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
#include "engine/exec/row_blocks.h"
#include "engine/kernels/denormals.h"

namespace rml {

using Clock = std::chrono::steady_clock;

class ExecutorImpl {
 public:
  ExecutorImpl(std::shared_ptr<const Program> program, const ExecutorOptions& options)
      : program_(std::move(program)), options_(options) {
    if (options_.num_threads > 1) pool_ = &ThreadPool::Process();
    options_.num_threads = pool_ == nullptr ? 1 : std::min(options_.num_threads, pool_->num_threads());
    options_.max_plans = std::max(2, options_.max_plans);  // a batch has blocks of two sizes
    row_blocks_ = RowBlocks::Make(program_->impl(), options_);
  }

  absl::Status Run(absl::Span<const ConstTensorView> inputs, std::vector<Tensor>& outputs, const RunControl& control,
                   std::vector<double>* step_seconds) {
    ASSIGN_OR_RETURN(const int64_t rows, program_->CheckInputs(inputs));
    RETURN_IF_ERROR(SizeOutputs(rows, outputs));
    return RunBlocks(rows, inputs, [&](int i) { return outputs[i].raw(); }, control, step_seconds);
  }

  absl::Status RunInto(absl::Span<const ConstTensorView> inputs, absl::Span<const TensorView> outputs,
                       const RunControl& control) {
    ASSIGN_OR_RETURN(const int64_t rows, program_->CheckInputs(inputs));
    RETURN_IF_ERROR(CheckOutputs(*program_, rows, inputs, outputs));
    return RunBlocks(rows, inputs, [&](int i) { return outputs[i].data; }, control, nullptr);
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

  int64_t RowsAtATime(int64_t rows) const {
    const int64_t blocks = row_blocks_.BlocksOf(rows);
    return (rows + blocks - 1) / blocks;
  }

  void Recycle(std::vector<Tensor>& tensors) {
    for (Tensor& tensor : tensors) buffers_.Give(tensor.ReleaseBuffer());
  }

  const Program& program() const { return *program_; }
  int64_t arena_bytes() const { return arena_.size_bytes(); }

 private:
  // `output_data(i)`: where output i goes.
  template <typename OutputData>
  absl::Status RunBlocks(int64_t rows, absl::Span<const ConstTensorView> inputs, const OutputData& output_data,
                         const RunControl& control, std::vector<double>* step_seconds) {
    const int64_t blocks = row_blocks_.BlocksOf(rows);
    for (int64_t i = 0; i < blocks; ++i) {
      const int64_t begin = rows * i / blocks, end = rows * (i + 1) / blocks;
      ASSIGN_OR_RETURN(Plan * plan, PlanFor(end - begin));
      ResolveInputsAndOutputs(*plan, inputs, output_data, begin);
      const absl::Status status = RunPlan(*plan, control, step_seconds);
      // A step knows its block alone: "position [1, 3]" is in row 9 if the block begins with row 8.
      if (absl::IsInvalidArgument(status) && blocks > 1) {
        return Annotate(status, absl::StrCat("in rows ", begin, " to ", end - 1, ", counted from ", begin));
      }
      RETURN_IF_ERROR(status);
    }
    return absl::OkStatus();
  }

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

  absl::Status SizeOutputs(int64_t rows, std::vector<Tensor>& outputs) {
    const std::vector<TensorInfo>& infos = program_->outputs();
    outputs.resize(infos.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const DType dtype = infos[i].dtype;
      const Shape shape = ShapeAt(infos[i], rows);
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

  // For the block of rows from `first_row`, which is 0 unless rows are independent.
  template <typename OutputData>
  void ResolveInputsAndOutputs(Plan& plan, absl::Span<const ConstTensorView> inputs, const OutputData& output_data,
                               int64_t first_row) const {
    for (int i : plan.io_operands) {
      const Operand& operand = plan.operands[i];
      const bool is_input = operand.base == Operand::Base::kInput;
      void* base = is_input ? const_cast<void*>(inputs[operand.index].data) : output_data(operand.index);
      const int64_t first = first_row == 0 ? 0 : first_row * RowBytes(is_input, operand.index);
      plan.pointers[i] = OrNoBytes(base) + first + operand.offset_bytes;
    }
  }

  // From one row of an input or output to the next; 0 for an input that all rows share.
  int64_t RowBytes(bool is_input, int index) const {
    const TensorInfo& info = (is_input ? program_->inputs() : program_->outputs())[index];
    return info.shape.empty() || !info.shape[0].symbolic() ? 0 : ShapeAt(info, 1).num_bytes();
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
  RowBlocks row_blocks_;
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
  // What runs are the blocks; shapes and costs are those of the batch.
  ASSIGN_OR_RETURN(const Plan* plan, PlanFor(RowsAtATime(rows)));
  std::unique_ptr<Plan> batch;
  if (plan->rows != rows) {
    ASSIGN_OR_RETURN(batch, MakePlan(program, rows, options_));
  }
  const Plan& whole = batch == nullptr ? *plan : *batch;
  std::vector<StepInfo> infos;
  for (const ProgramStep& step : program.steps) {
    StepInfo info{.label = step.label, .nodes = step.nodes, .kernel = "view"};
    for (ValueId id : step.outputs) info.outputs.push_back(whole.types[id].shape);
    infos.push_back(std::move(info));
  }
  for (const PlanStep& step : plan->steps) {
    StepInfo& info = infos[step.program_step];
    info.kernel = info.kernel == "view" ? step.bound->kernel() : absl::StrCat(info.kernel, " + ", step.bound->kernel());
    info.width = std::max(info.width, step.width);
  }
  for (const PlanStep& step : whole.steps) {
    const StepCost cost = step.bound->cost();
    infos[step.program_step].flops += cost.flops;
    infos[step.program_step].bytes += cost.bytes;
  }
  return infos;
}

int64_t Executor::rows_at_a_time(int64_t rows) const { return impl_->RowsAtATime(rows); }
int64_t Executor::arena_bytes() const { return impl_->arena_bytes(); }
const Program& Executor::program() const { return impl_->program(); }

}  // namespace rml
