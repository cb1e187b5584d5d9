#include <array>
#include <memory>

#include "engine/ops/chunks.h"
#include "engine/ops/float_attr.h"
#include "engine/ops/layer_norm.h"
#include "engine/ops/strided_walk.h"

namespace rml {
namespace {

class LayerNormStep : public Step {
 public:
  explicit LayerNormStep(const CompileContext& context)
      : kernels_(context.kernels),
        num_inputs_(static_cast<int>(context.node.inputs.size())),
        num_axes_(static_cast<int>(context.attrs.Ints("axes").size())),
        eps_(FloatAttr(context.attrs.Float("eps"))) {}

  // Rows may lie anywhere if their elements are adjacent.
  bool ReadsInPlace(int index, const View& input) const override {
    if (index != 0 || input.contiguous()) return input.contiguous();
    int64_t stride = 1;
    for (int i = input.shape.rank() - 1; i >= input.shape.rank() - num_axes_; --i) {
      if (input.shape.dim(i) != 1 && input.strides[i] != stride) return false;
      stride *= input.shape.dim(i);
    }
    return true;
  }
  bool CanOverwrite(int index) const override { return index == 0; }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;

 private:
  friend class BoundLayerNorm;

  const KernelTable& kernels_;
  int num_inputs_;
  int num_axes_;
  float eps_;
};

class BoundLayerNorm : public BoundStep {
 public:
  BoundLayerNorm(const LayerNormStep& step, const View& x, const View& y) : step_(step) {
    Shape rows = x.shape;
    for (int i = x.shape.rank() - step.num_axes_; i < x.shape.rank(); ++i) {
      n_ *= x.shape.dim(i);
      rows.set_dim(i, 1);
    }
    const std::array<Strides, 2> strides = {x.strides, y.strides};
    walk_ = StridedWalk(rows, strides, WalkUnit::kElement);
    const auto elements = static_cast<double>(x.shape.num_elements());
    cost_ = {.flops = 8 * elements, .bytes = 8 * elements};
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const auto* x = static_cast<const float*>(operands[0]);
    const auto* weight = step_.num_inputs_ > 1 ? static_cast<const float*>(operands[1]) : nullptr;
    const auto* bias = step_.num_inputs_ > 2 ? static_cast<const float*>(operands[2]) : nullptr;
    auto* y = static_cast<float*>(operands[step_.num_inputs_]);
    ForRows(context, walk_.rows(), RowsPerChunk(n_), [&](int64_t begin, int64_t end, int) {
      auto at = walk_.At(begin);
      for (int64_t row = begin; row < end; ++row, walk_.Next(at)) {
        step_.kernels_.layer_norm_row(x + at.offsets[0], n_, step_.eps_, weight, bias, y + at.offsets[1]);
      }
    });
    return absl::OkStatus();
  }

  StepCost cost() const override { return cost_; }
  const char* kernel() const override { return step_.kernels_.isa; }

 private:
  const LayerNormStep& step_;
  int64_t n_ = 1;
  StridedWalk walk_;
  StepCost cost_;
};

absl::StatusOr<std::unique_ptr<BoundStep>> LayerNormStep::Bind(const BindContext& context) const {
  return std::make_unique<BoundLayerNorm>(*this, context.inputs[0], context.outputs[0]);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileLayerNorm(const CompileContext& context) {
  return std::make_unique<LayerNormStep>(context);
}

}  // namespace rml
