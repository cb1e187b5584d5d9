// Steps: ops compiled for running. A Step holds what does not depend on the row count (packed constants, kernel choice)
// and is shared by all executors of a program; Bind() makes the BoundStep that a plan for one row count runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/dispatch.h"
#include "engine/ops/op.h"

namespace rml {

// Where and how a value lies in memory: strides in elements, offset from its buffer's start in elements.
struct View {
  DType dtype = DType::kF32;
  Shape shape;
  Strides strides{};
  int64_t offset = 0;

  bool contiguous() const { return IsContiguous(shape, strides); }
  static View Contiguous(const TensorType& type) { return {type.dtype, type.shape, ContiguousStrides(type.shape), 0}; }
};

// What Compile gets. Constant inputs are known by their data (flushed, contiguous); others are nullopt.
struct CompileContext {
  const Graph& graph;
  const Node& node;
  absl::Span<const std::optional<ConstTensorView>> constants;  // per node input
  // Attributes at the smallest row count; ones that hold B are resolved again by Bind.
  const OpAttrs& attrs;
  // The instruction set to compile for (never ActiveKernels() in a step: tests compile one program per set).
  const KernelTable& kernels = ActiveKernels();
};

// What Bind gets: the row count's attributes and operand layouts. Inputs are views as ReadsInPlace() allowed.
struct BindContext {
  const OpAttrs& attrs;
  absl::Span<const View> inputs;
  absl::Span<const View> outputs;  // contiguous
  int max_width = 1;               // threads that the executor may use
};

// What a step costs, for the width model and for profiles.
struct StepCost {
  double flops = 0;
  double bytes = 0;  // read and written, each operand once
};

struct RunContext {
  ThreadPool* pool = nullptr;  // nullptr: run on the caller alone
  int width = 1;               // threads to use, 1..max_width
};

// A step ready to run for one row count. Immutable; an executor runs one at a time, so scratch is not shared.
class BoundStep {
 public:
  virtual ~BoundStep() = default;
  // operands: one pointer per input, then per output, each at its view's first element (offset applied), then the
  // scratch of scratch_bytes() if that is not 0. Allocates nothing. Errors: data that the op refuses (a gather index).
  virtual absl::Status Run(void* const* operands, const RunContext& context) const = 0;
  virtual int64_t scratch_bytes() const { return 0; }
  virtual StepCost cost() const { return {}; }
  virtual const char* kernel() const = 0;  // "gemm avx512 12x32": shown in profiles
};

class Step {
 public:
  virtual ~Step() = default;

  // Shape ops: the output as a view of input 0, or nullopt if its layout does not allow one (the planner then makes the
  // input contiguous and asks again). Others: is_view() is false and ViewOf is not called.
  virtual bool is_view() const { return false; }
  virtual std::optional<View> ViewOf(const OpAttrs& attrs, const View& input, const Shape& output) const;

  // Whether input `index` can be read through this layout; if not, the planner copies it to a contiguous buffer first.
  virtual bool ReadsInPlace(int index, const View& input) const { return index >= 0 && input.contiguous(); }

  // Whether output 0 may be written over input `index` (same size, element by element in order).
  virtual bool CanOverwrite(int index) const { return index < 0; }

  // True if the step does not read input `index` at run time because it holds a prepared copy (a packed weight).
  virtual bool Prepared(int index) const { return index < 0; }

  // Bytes of memory held by prepared constants.
  virtual int64_t prepared_bytes() const { return 0; }

  virtual absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const = 0;
};

// Does all that can be done once, whatever the row count: constants prepared, kernels chosen. One function per row of
// op_list.inc; CompileOp() finds it.
using CompileFn = absl::StatusOr<std::unique_ptr<Step>> (*)(const CompileContext& context);
absl::StatusOr<std::unique_ptr<Step>> CompileOp(const CompileContext& context);

}  // namespace rml
