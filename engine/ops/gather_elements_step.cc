#include <array>
#include <atomic>
#include <memory>

#include "engine/ops/chunks.h"
#include "engine/ops/gather.h"
#include "engine/ops/gather_elements.h"
#include "engine/ops/index_rule.h"
#include "engine/ops/strided_walk.h"

namespace rml {
namespace {

class GatherElementsStep : public Step {
 public:
  explicit GatherElementsStep(const CompileContext& context)
      : axis_(static_cast<int>(context.attrs.Int("axis"))),
        fill_(GatherFill(context.graph.values[context.node.inputs[0]].dtype)) {}

  bool ReadsInPlace(int, const View&) const override { return true; }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;

 private:
  friend class BoundGatherElements;

  int axis_;
  int32_t fill_;
};

class BoundGatherElements : public BoundStep {
 public:
  BoundGatherElements(const GatherElementsStep& step, const BindContext& context)
      : step_(step), indices_(context.inputs[1]) {
    const View& data = context.inputs[0];
    rule_ = IndexRule(context.attrs, data.shape.dim(step.axis_));
    axis_stride_ = data.strides[step.axis_];
    // The index says where along the axis.
    Strides others = data.strides;
    others[step.axis_] = 0;
    const std::array<Strides, 2> strides = {others, indices_.strides};
    walk_ = StridedWalk(indices_.shape, strides);
    elements_ = static_cast<double>(indices_.shape.num_elements());
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const auto* data = static_cast<const int32_t*>(operands[0]);
    const auto* indices = static_cast<const int32_t*>(operands[1]);
    auto* y = static_cast<int32_t*>(operands[2]);
    std::atomic<bool> outside = false;
    ForRows(context, walk_.rows(), RowsPerChunk(walk_.inner()), [&](int64_t begin, int64_t end, int) {
      auto at = walk_.At(begin);
      bool all_inside = true;
      for (int64_t row = begin; row < end; ++row, walk_.Next(at)) {
        all_inside &= CopyRow(data + at.offsets[0], indices + at.offsets[1], y + row * walk_.inner());
      }
      if (!all_inside) outside = true;
    });
    return outside ? rule_.Check(indices_.shape, indices_.strides, indices) : absl::OkStatus();
  }

  StepCost cost() const override { return {.bytes = 12 * elements_}; }
  const char* kernel() const override { return "gather elements"; }

 private:
  // Whether every index had a position.
  bool CopyRow(const int32_t* data, const int32_t* indices, int32_t* y) const {
    bool all_inside = true;
    const int64_t data_stride = walk_.inner_stride(0), index_stride = walk_.inner_stride(1);
    for (int64_t i = 0; i < walk_.inner(); ++i) {
      const int64_t position = rule_.Position(indices[i * index_stride]);
      all_inside &= position >= 0;
      y[i] = position < 0 ? step_.fill_ : data[i * data_stride + position * axis_stride_];
    }
    return all_inside;
  }

  const GatherElementsStep& step_;
  View indices_;
  IndexRule rule_;
  StridedWalk walk_;
  int64_t axis_stride_ = 0;
  double elements_ = 0;
};

absl::StatusOr<std::unique_ptr<BoundStep>> GatherElementsStep::Bind(const BindContext& context) const {
  return std::make_unique<BoundGatherElements>(*this, context);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileGatherElements(const CompileContext& context) {
  return std::make_unique<GatherElementsStep>(context);
}

}  // namespace rml
