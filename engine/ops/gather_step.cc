#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "engine/ops/chunks.h"
#include "engine/ops/gather.h"
#include "engine/ops/strided_walk.h"

namespace rml {
namespace {

enum class OutOfRange : uint8_t { kError, kClamp, kFill };

class GatherStep : public Step {
 public:
  explicit GatherStep(const CompileContext& context)
      : axis_(static_cast<int>(context.attrs.Int("axis"))), wraps_(context.attrs.Bool("wrap")) {
    const std::string& mode = context.attrs.String("mode");
    mode_ = mode == "clamp" ? OutOfRange::kClamp : mode == "fill" ? OutOfRange::kFill : OutOfRange::kError;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(&fill_, &nan, sizeof(fill_));
    if (context.graph.values[context.node.inputs[0]].dtype == DType::kI32) fill_ = std::numeric_limits<int32_t>::min();
  }

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
  bool wraps_;
  OutOfRange mode_;
  int32_t fill_ = 0;  // the element's bits
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
    size_ = data.shape.dim(step.axis_);
    axis_stride_ = data.strides[step.axis_];
    indices_shape_ = context.inputs[1].shape;
    count_ = indices_shape_.num_elements();
    elements_ = static_cast<double>(context.outputs[0].shape.num_elements());
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const auto* data = static_cast<const int32_t*>(operands[0]);
    const auto* indices = static_cast<const int32_t*>(operands[1]);
    auto* y = static_cast<int32_t*>(operands[2]);
    if (step_.mode_ == OutOfRange::kError || size_ == 0) {
      for (int64_t i = 0; i < count_; ++i) {
        if (Row(indices[i]) < 0 && step_.mode_ != OutOfRange::kFill) return RangeError(indices[i], i);
      }
    }
    if (slice_ == 0) return absl::OkStatus();
    ForRows(context, outer_.rows() * count_, RowsPerChunk(slice_), [&](int64_t begin, int64_t end, int) {
      auto at = outer_.At(begin / count_);
      int64_t i = begin % count_;
      for (int64_t unit = begin; unit < end; ++unit) {
        CopySlice(data + at.offsets[0], Row(indices[i]), y + unit * slice_);
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
  // The row that an index means, or -1 if there is none.
  int64_t Row(int64_t index) const {
    if (step_.wraps_ && index < 0 && index >= -size_) index += size_;
    if (index >= 0 && index < size_) return index;
    if (step_.mode_ != OutOfRange::kClamp || size_ == 0) return -1;
    return index < 0 ? 0 : size_ - 1;
  }

  void CopySlice(const int32_t* data, int64_t row, int32_t* y) const {
    if (row < 0) {
      std::fill_n(y, slice_, step_.fill_);
    } else if (slice_ == 1) {
      *y = data[row * axis_stride_];
    } else {
      std::memcpy(y, data + row * axis_stride_, slice_ * kElementBytes);
    }
  }

  absl::Status RangeError(int32_t index, int64_t position) const {
    Shape at = indices_shape_;
    for (int d = at.rank() - 1; d >= 0; --d) {
      at.set_dim(d, position % indices_shape_.dim(d));
      position /= indices_shape_.dim(d);
    }
    return absl::InvalidArgumentError(
        absl::StrFormat("index %d at position %s of 'indices' is out of range; expected %d to %d", index, ToString(at),
                        step_.wraps_ ? -size_ : 0, size_ - 1));
  }

  const GatherStep& step_;
  StridedWalk outer_;
  int64_t slice_ = 1;
  int64_t size_ = 0;
  int64_t axis_stride_ = 0;
  Shape indices_shape_;
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
