#include "tests/engine/ops/step_harness.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

#include "engine/base/status_macros.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/denormals.h"

namespace rml {
namespace {

constexpr int64_t kGuard = 64;           // elements around outputs and scratch
constexpr int32_t kPoison = 0x7fc12345;  // a NaN: what nobody may read or write

// Under ThreadSanitizer, which sees nothing in what one thread computes: only what two of them do.
#ifdef __SANITIZE_THREAD__
constexpr bool kRacesOnly = true;
#else
constexpr bool kRacesOnly = false;
#endif

ThreadPool& TwoThreads() {
  static ThreadPool pool(2);
  return pool;
}

// Memory with poison inside and around.
class GuardedMemory {
 public:
  explicit GuardedMemory(int64_t elements) : elements_(elements), memory_(elements + 2 * kGuard, kPoison) {}
  int32_t* data() { return memory_.data() + kGuard; }
  bool intact() const {
    const auto poisoned = [](int32_t v) { return v == kPoison; };
    return std::all_of(memory_.begin(), memory_.begin() + kGuard, poisoned) &&
           std::all_of(memory_.begin() + kGuard + elements_, memory_.end(), poisoned);
  }

 private:
  int64_t elements_;
  std::vector<int32_t> memory_;
};

// A tensor's elements in some layout.
struct Placed {
  View view;
  std::vector<int32_t> memory;
  int64_t first = 0;  // of the view's first element in memory
};

Shape StoredShape(const Shape& shape, Layout layout) {
  Shape stored = shape;
  if (shape.rank() == 0) return stored;
  if (layout == Layout::kGaps) stored.set_dim(-1, shape.dim(-1) + 3);
  if (layout == Layout::kStepped) stored.set_dim(-1, 2 * shape.dim(-1));
  if (layout == Layout::kTransposed) {
    for (int i = 0; i < shape.rank(); ++i) stored.set_dim(i, shape.dim(shape.rank() - 1 - i));
  }
  return stored;
}

Placed Place(const Tensor& tensor, Layout layout) {
  const Shape& shape = tensor.shape();
  const int rank = shape.rank();
  Placed placed;
  const Shape stored = StoredShape(shape, layout);
  Strides strides = ContiguousStrides(stored);
  if (layout == Layout::kTransposed) std::reverse(strides.begin(), strides.begin() + rank);
  if (layout == Layout::kStepped && rank > 0) strides[rank - 1] = 2;
  placed.memory.assign(stored.num_elements() + 1, kPoison);
  if (layout == Layout::kFlipped) {
    for (int i = 0; i < rank; ++i) {
      placed.first += std::max<int64_t>(0, shape.dim(i) - 1) * strides[i];
      strides[i] = -strides[i];
    }
  }
  placed.view = {tensor.dtype(), shape, strides, 0};
  const int32_t* source = static_cast<const int32_t*>(tensor.raw());
  for (int64_t e = 0; e < tensor.num_elements(); ++e) {
    int64_t offset = placed.first;
    int64_t rest = e;
    for (int i = rank - 1; i >= 0; --i) {
      offset += rest % shape.dim(i) * strides[i];
      rest /= shape.dim(i);
    }
    placed.memory[offset] = source[e];
  }
  return placed;
}

Value ValueOf(const TensorType& type) {
  Value value{type.dtype, {}};
  for (int64_t dim : type.shape.dims()) value.shape.push_back(dim);
  return value;
}

Tensor Row(const Tensor& tensor, int64_t row) {
  Shape shape = tensor.shape();
  shape.set_dim(0, 1);
  Tensor result(tensor.dtype(), shape);
  const auto* source = static_cast<const int32_t*>(tensor.raw()) + row * shape.num_elements();
  if (shape.num_elements() > 0) std::memcpy(result.raw(), source, shape.num_bytes());
  return result;
}

std::string Describe(const StepTest::RunOptions& options) {
  static const char* kLayouts[] = {"dense", "gaps", "transposed", "stepped", "flipped"};
  return std::string(options.kernels->isa) + ", width " + std::to_string(options.width) + ", input " +
         std::to_string(options.strided_input) + " " + kLayouts[static_cast<int>(options.layout)] +
         (options.constants_as_inputs ? ", no constants" : "") + ", over input " +
         std::to_string(options.overwritten_input);
}

}  // namespace

struct StepTest::Compiled {
  std::unique_ptr<Graph> graph;
  OpAttrs attrs;
  std::vector<TensorType> outputs;
  std::vector<std::optional<ConstTensorView>> constants;
  std::unique_ptr<Step> step;
};

StepTest& StepTest::Input(Tensor tensor) {
  inputs_.push_back({std::move(tensor), false});
  return *this;
}

StepTest& StepTest::Constant(Tensor tensor) {
  inputs_.push_back({std::move(tensor), true});
  return *this;
}

StepTest& StepTest::CompileWith(std::function<absl::StatusOr<std::unique_ptr<Step>>(const CompileContext&)> compile) {
  compile_ = std::move(compile);
  return *this;
}

StepTest StepTest::WithoutLastInput() const {
  StepTest test(op_, attrs_);
  test.compile_ = compile_;
  for (size_t i = 0; i + 1 < inputs_.size(); ++i)
    test.inputs_.push_back({inputs_[i].tensor.Clone(), inputs_[i].constant});
  return test;
}

absl::StatusOr<StepTest::Compiled> StepTest::Compile(const KernelTable& kernels, bool constants_as_inputs) const {
  Compiled compiled;
  const OpDef* op = FindOp(op_);
  if (op == nullptr) return absl::NotFoundError(op_);
  ASSIGN_OR_RETURN(compiled.attrs, ResolveAttrs(*op, attrs_, 1));
  compiled.graph = std::make_unique<Graph>();
  Graph& graph = *compiled.graph;
  graph.nodes.emplace_back();
  graph.nodes[0].op = op_;
  graph.nodes[0].attrs = attrs_;
  std::vector<TensorType> types;
  for (const Operand& input : inputs_) {
    types.push_back({input.tensor.dtype(), input.tensor.shape()});
    graph.nodes[0].inputs.push_back(static_cast<ValueId>(graph.values.size()));
    graph.values.push_back(ValueOf(types.back()));
    compiled.constants.emplace_back();
    if (input.constant && !constants_as_inputs) compiled.constants.back() = input.tensor.view();
  }
  ASSIGN_OR_RETURN(compiled.outputs, op->infer(compiled.attrs, types));
  for (const TensorType& type : compiled.outputs) {
    graph.nodes[0].outputs.push_back(static_cast<ValueId>(graph.values.size()));
    graph.values.push_back(ValueOf(type));
  }
  ASSIGN_OR_RETURN(compiled.step, compile_({graph, graph.nodes[0], compiled.constants, compiled.attrs, kernels}));
  return compiled;
}

absl::StatusOr<std::vector<Tensor>> StepTest::Run(const RunOptions& options) const {
  ASSIGN_OR_RETURN(const Compiled compiled, Compile(*options.kernels, options.constants_as_inputs));
  std::vector<Placed> placed;
  std::vector<View> views;
  std::vector<void*> operands;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const int index = static_cast<int>(i);
    placed.push_back(Place(inputs_[i].tensor, index == options.strided_input ? options.layout : Layout::kDense));
    if (!compiled.step->ReadsInPlace(index, placed[i].view)) placed[i] = Place(inputs_[i].tensor, Layout::kDense);
    views.push_back(placed[i].view);
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const bool prepared = compiled.step->Prepared(static_cast<int>(i));
    operands.push_back(prepared ? nullptr : placed[i].memory.data() + placed[i].first);
  }
  std::vector<View> output_views;
  std::vector<GuardedMemory> outputs;
  for (const TensorType& type : compiled.outputs) {
    output_views.push_back(View::Contiguous(type));
    outputs.emplace_back(type.shape.num_elements());
    if (outputs.size() == 1 && options.overwritten_input >= 0) {
      const Tensor& input = inputs_[options.overwritten_input].tensor;
      if (input.num_elements() > 0) std::memcpy(outputs[0].data(), input.raw(), input.shape().num_bytes());
      operands[options.overwritten_input] = outputs[0].data();
    }
    operands.push_back(outputs.back().data());
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<BoundStep> bound,
                   compiled.step->Bind({compiled.attrs, views, output_views, options.width}));
  GuardedMemory scratch((bound->scratch_bytes() + 3) / 4);
  if (bound->scratch_bytes() > 0) operands.push_back(scratch.data());
  {
    ScopedFlushDenormals flush;
    // A worker that sleeps would come too late for short steps.
    const ThreadPool::HotScope hot(options.width > 1 ? &TwoThreads() : nullptr);
    RETURN_IF_ERROR(bound->Run(operands.data(), {options.width > 1 ? &TwoThreads() : nullptr, options.width}));
  }
  if (!scratch.intact()) return absl::InternalError("wrote outside its scratch");
  std::vector<Tensor> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].intact()) return absl::InternalError("wrote outside its output");
    const TensorType& type = compiled.outputs[i];
    results.push_back(Tensor::Copy({type.dtype, type.shape, outputs[i].data()}));
  }
  return results;
}

absl::StatusOr<std::vector<Tensor>> StepTest::Reference() const {
  const OpDef* op = FindOp(op_);
  if (op == nullptr) return absl::NotFoundError(op_);
  ASSIGN_OR_RETURN(const OpAttrs attrs, ResolveAttrs(*op, attrs_, 1));
  std::vector<TensorType> types;
  std::vector<ConstTensorView> views;
  for (const Operand& input : inputs_) {
    types.push_back({input.tensor.dtype(), input.tensor.shape()});
    views.push_back(input.tensor.view());
  }
  ASSIGN_OR_RETURN(const std::vector<TensorType> output_types, op->infer(attrs, types));
  std::vector<Tensor> outputs;
  for (const TensorType& type : output_types) outputs.emplace_back(type.dtype, type.shape);
  ScopedFlushDenormals flush;
  RETURN_IF_ERROR(op->reference(attrs, views, absl::MakeSpan(outputs)));
  return outputs;
}

bool StepTest::ReadsInPlace(int index, Layout layout) const {
  const auto compiled = Compile(*AvailableKernels().back(), false);
  return compiled.ok() && compiled->step->ReadsInPlace(index, Place(inputs_[index].tensor, layout).view);
}

void StepTest::Check(const Tolerance& tolerance) const {
  const auto expected = Reference();
  ASSERT_TRUE(expected.ok()) << op_ << ": " << expected.status();
  const KernelTable* best = AvailableKernels().back();
  const auto base = Run({.kernels = kRacesOnly ? best : AvailableKernels().front()});
  ASSERT_TRUE(base.ok()) << op_ << ": " << base.status();
  for (size_t i = 0; i < base->size(); ++i) {
    SCOPED_TRACE(op_ + " output " + std::to_string(i));
    ExpectClose((*base)[i], (*expected)[i], tolerance);
  }
  std::vector<RunOptions> runs;
  for (const KernelTable* kernels : AvailableKernels()) {
    for (int width : {1, 2}) {
      if (!kRacesOnly || (kernels == best && width == 2)) runs.push_back({.kernels = kernels, .width = width});
    }
  }
  runs.push_back({.kernels = best, .width = 2, .constants_as_inputs = true});
  const auto compiled = Compile(*best, true);
  for (int i = 0; i < static_cast<int>(inputs_.size()); ++i) {
    for (Layout layout : {Layout::kGaps, Layout::kTransposed, Layout::kStepped, Layout::kFlipped}) {
      for (int width : {1, 2}) {
        if (kRacesOnly && width == 1) continue;
        runs.push_back(
            {.kernels = best, .width = width, .strided_input = i, .layout = layout, .constants_as_inputs = true});
      }
    }
    const bool same_size = inputs_[i].tensor.shape() == (*base)[0].shape();
    if (same_size && compiled->step->CanOverwrite(i)) {
      runs.push_back({.kernels = best, .width = 2, .constants_as_inputs = true, .overwritten_input = i});
    }
  }
  for (const RunOptions& options : runs) {
    SCOPED_TRACE(op_ + ", " + Describe(options));
    const auto outputs = Run(options);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    for (size_t i = 0; i < base->size(); ++i) ExpectSameBits((*outputs)[i], (*base)[i]);
    if (testing::Test::HasFailure()) return;
  }
}

void StepTest::CheckRowsAlone(std::initializer_list<int> batched) const {
  const KernelTable* best = AvailableKernels().back();
  const auto together = Run({.kernels = best, .width = 2});
  ASSERT_TRUE(together.ok()) << together.status();
  const int64_t rows = (*together)[0].shape().dim(0);
  for (int64_t row = 0; row < rows; ++row) {
    SCOPED_TRACE(op_ + ", row " + std::to_string(row) + " alone");
    StepTest one(op_, attrs_);
    one.compile_ = compile_;
    for (int i = 0; i < static_cast<int>(inputs_.size()); ++i) {
      const bool has_row = std::find(batched.begin(), batched.end(), i) != batched.end();
      one.inputs_.push_back({has_row ? Row(inputs_[i].tensor, row) : inputs_[i].tensor.Clone(), inputs_[i].constant});
    }
    const auto alone = one.Run({.kernels = best});
    ASSERT_TRUE(alone.ok()) << alone.status();
    ExpectSameBits((*alone)[0], Row((*together)[0], row));
  }
}

}  // namespace rml
