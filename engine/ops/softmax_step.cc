#include <algorithm>
#include <array>
#include <memory>

#include "engine/ops/chunks.h"
#include "engine/ops/softmax.h"
#include "engine/ops/strided_walk.h"

namespace rml {
namespace {

using RowFn = void (*)(const float* x, int64_t n, float* y);

// Columns turned into rows at a time when the axis is not the innermost: a cache line wide.
constexpr int64_t kBlock = 16;

int64_t ElementsAfter(const Shape& shape, int axis) {
  int64_t elements = 1;
  for (int i = axis + 1; i < shape.rank(); ++i) elements *= shape.dim(i);
  return elements;
}

class SoftmaxStep : public Step {
 public:
  SoftmaxStep(const CompileContext& context, RowFn row)
      : kernels_(context.kernels), row_(row), axis_(static_cast<int>(context.attrs.Int("axis"))) {}

  // Rows may lie anywhere if their elements are adjacent.
  bool ReadsInPlace(int, const View& input) const override {
    return input.contiguous() || (input.strides[axis_] == 1 && ElementsAfter(input.shape, axis_) == 1);
  }
  bool CanOverwrite(int index) const override { return index == 0; }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;

 private:
  friend class BoundRows;
  friend class BoundColumns;

  const KernelTable& kernels_;
  RowFn row_;
  int axis_;
};

StepCost SoftmaxCost(const Shape& shape) {
  const auto elements = static_cast<double>(shape.num_elements());
  return {.flops = 20 * elements, .bytes = 8 * elements};
}

// The axis is innermost: rows are read and written where they are.
class BoundRows : public BoundStep {
 public:
  BoundRows(const SoftmaxStep& step, const View& x, const View& y)
      : step_(step), n_(x.shape.dim(step.axis_)), cost_(SoftmaxCost(x.shape)) {
    Shape rows = x.shape;
    rows.set_dim(step.axis_, 1);
    const std::array<Strides, 2> strides = {x.strides, y.strides};
    walk_ = StridedWalk(rows, strides, WalkUnit::kElement);
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const auto* x = static_cast<const float*>(operands[0]);
    auto* y = static_cast<float*>(operands[1]);
    ForRows(context, walk_.rows(), RowsPerChunk(n_), [&](int64_t begin, int64_t end, int) {
      auto at = walk_.At(begin);
      for (int64_t row = begin; row < end; ++row, walk_.Next(at)) {
        step_.row_(x + at.offsets[0], n_, y + at.offsets[1]);
      }
    });
    return absl::OkStatus();
  }

  StepCost cost() const override { return cost_; }
  const char* kernel() const override { return step_.kernels_.isa; }

 private:
  const SoftmaxStep& step_;
  int64_t n_;
  StridedWalk walk_;
  StepCost cost_;
};

// [outer, n, inner]: blocks of columns are transposed into scratch, so that an element's lane is its place on the axis.
class BoundColumns : public BoundStep {
 public:
  BoundColumns(const SoftmaxStep& step, const Shape& shape, int max_width)
      : step_(step),
        n_(shape.dim(step.axis_)),
        inner_(ElementsAfter(shape, step.axis_)),
        blocks_((inner_ + kBlock - 1) / kBlock),
        outer_(n_ * inner_ == 0 ? 0 : shape.num_elements() / (n_ * inner_)),
        max_width_(std::max(1, max_width)),
        cost_(SoftmaxCost(shape)) {}

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const auto* x = static_cast<const float*>(operands[0]);
    auto* y = static_cast<float*>(operands[1]);
    auto* scratch = static_cast<float*>(scratch_bytes() > 0 ? operands[2] : nullptr);
    ForRows(context, outer_ * blocks_, RowsPerChunk(n_ * kBlock), [&](int64_t begin, int64_t end, int slot) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i % blocks_ * kBlock;
        const int64_t offset = i / blocks_ * n_ * inner_ + first;
        RunBlock(x + offset, std::min(kBlock, inner_ - first), y + offset, scratch + slot * n_ * kBlock);
      }
    });
    return absl::OkStatus();
  }

  int64_t scratch_bytes() const override { return outer_ == 0 ? 0 : max_width_ * n_ * kBlock * kElementBytes; }
  StepCost cost() const override { return cost_; }
  const char* kernel() const override { return step_.kernels_.isa; }

 private:
  void RunBlock(const float* x, int64_t columns, float* y, float* rows) const {
    step_.kernels_.transpose(x, n_, columns, inner_, rows, n_);
    for (int64_t c = 0; c < columns; ++c) step_.row_(rows + c * n_, n_, rows + c * n_);
    step_.kernels_.transpose(rows, columns, n_, n_, y, inner_);
  }

  const SoftmaxStep& step_;
  int64_t n_, inner_, blocks_, outer_, max_width_;
  StepCost cost_;
};

absl::StatusOr<std::unique_ptr<BoundStep>> SoftmaxStep::Bind(const BindContext& context) const {
  const View& x = context.inputs[0];
  if (ElementsAfter(x.shape, axis_) == 1) return std::make_unique<BoundRows>(*this, x, context.outputs[0]);
  return std::make_unique<BoundColumns>(*this, x.shape, context.max_width);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileSoftmax(const CompileContext& context) {
  return std::make_unique<SoftmaxStep>(context, context.kernels.softmax_row);
}

absl::StatusOr<std::unique_ptr<Step>> CompileLogSoftmax(const CompileContext& context) {
  return std::make_unique<SoftmaxStep>(context, context.kernels.log_softmax_row);
}

}  // namespace rml
