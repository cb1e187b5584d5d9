#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "engine/base/status_macros.h"
#include "engine/ops/chunks.h"
#include "engine/ops/gather.h"
#include "engine/ops/index_rule.h"
#include "engine/ops/strided_walk.h"

namespace rml {
namespace {

class GatherStep : public Step {
 public:
  explicit GatherStep(const CompileContext& context)
      : axis_(static_cast<int>(context.attrs.Int("axis"))),
        fill_(GatherFill(context.graph.values[context.node.inputs[0]].dtype)) {}

  // Data may lie anywhere if what follows the axis is dense.
  bool ReadsInPlace(int index, const View& input) const override {
    if (index != 0 || input.contiguous()) return input.contiguous();
    int64_t stride = 1;
    for (int i = input.shape.rank() - 1; i > axis_; --i) {
      if (input.shape.dim(i) != 1 && input.strides[i] != stride) return false;
      stride *= input.shape.dim(i);
    }
    return true;
  }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;

 private:
  friend class BoundGather;

  int axis_;
  int32_t fill_;
};

// Slices of slice_ adjacent elements: one per (outer position, index).
class BoundGather : public BoundStep {
 public:
  BoundGather(const GatherStep& step, const BindContext& context) : step_(step) {
    const View& data = context.inputs[0];
    Shape outer = data.shape;
    for (int i = step.axis_; i < data.shape.rank(); ++i) {
      if (i > step.axis_) slice_ *= data.shape.dim(i);
      outer.set_dim(i, 1);
    }
    const std::array<Strides, 1> strides = {data.strides};
    outer_ = StridedWalk(outer, strides, WalkUnit::kElement);
    rule_ = IndexRule(context.attrs, data.shape.dim(step.axis_));
    axis_stride_ = data.strides[step.axis_];
    indices_ = context.inputs[1];
    count_ = indices_.shape.num_elements();
    elements_ = static_cast<double>(context.outputs[0].shape.num_elements());
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const auto* data = static_cast<const int32_t*>(operands[0]);
    const auto* indices = static_cast<const int32_t*>(operands[1]);
    auto* y = static_cast<int32_t*>(operands[2]);
    RETURN_IF_ERROR(rule_.Check(indices_.shape, indices_.strides, indices));
    if (slice_ == 0) return absl::OkStatus();
    ForRows(context, outer_.rows() * count_, RowsPerChunk(slice_), [&](int64_t begin, int64_t end, int) {
      auto at = outer_.At(begin / count_);
      int64_t i = begin % count_;
      for (int64_t unit = begin; unit < end; ++unit) {
        CopySlice(data + at.offsets[0], rule_.Position(indices[i]), y + unit * slice_);
        if (++i == count_) {
          i = 0;
          outer_.Next(at);
        }
      }
    });
    return absl::OkStatus();
  }

  StepCost cost() const override { return {.bytes = 8 * elements_ + 4 * static_cast<double>(count_)}; }
  const char* kernel() const override { return "copy slices"; }

 private:
  void CopySlice(const int32_t* data, int64_t row, int32_t* y) const {
    if (row < 0) {
      std::fill_n(y, slice_, step_.fill_);
    } else if (slice_ == 1) {
      *y = data[row * axis_stride_];
    } else {
      std::memcpy(y, data + row * axis_stride_, slice_ * kElementBytes);
    }
  }

  const GatherStep& step_;
  StridedWalk outer_;
  int64_t slice_ = 1;
  IndexRule rule_;
  int64_t axis_stride_ = 0;
  View indices_;
  int64_t count_ = 0;
  double elements_ = 0;
};

absl::StatusOr<std::unique_ptr<BoundStep>> GatherStep::Bind(const BindContext& context) const {
  return std::make_unique<BoundGather>(*this, context);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileGather(const CompileContext& context) {
  return std::make_unique<GatherStep>(context);
}

}  // namespace rml
