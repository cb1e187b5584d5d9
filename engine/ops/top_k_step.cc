#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>

#include "engine/ops/chunks.h"
#include "engine/ops/strided_walk.h"
#include "engine/ops/top_k.h"

namespace rml {
namespace {

// An unsigned number that orders as the float does: -0 and subnormal numbers equal 0, any NaN is above +inf.
uint32_t SortKey(float x) {
  constexpr uint32_t kSign = 0x80000000u;
  if (x == 0.0f) return kSign;
  if (x != x) return std::numeric_limits<uint32_t>::max();
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

class TopKStep : public Step {
 public:
  explicit TopKStep(const CompileContext& context)
      : axis_(static_cast<int>(context.attrs.Int("axis"))), largest_(context.attrs.Bool("largest")) {}

  bool ReadsInPlace(int, const View&) const override { return true; }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;

 private:
  friend class BoundTopK;

  int axis_;
  bool largest_;
};

class BoundTopK : public BoundStep {
 public:
  BoundTopK(const TopKStep& step, const BindContext& context)
      : step_(step), max_width_(std::max(1, context.max_width)) {
    const View& x = context.inputs[0];
    const View& y = context.outputs[0];
    n_ = x.shape.dim(step.axis_);
    k_ = y.shape.dim(step.axis_);
    x_stride_ = x.strides[step.axis_];
    y_stride_ = y.strides[step.axis_];
    Shape rows = x.shape;
    rows.set_dim(step.axis_, 1);
    const std::array<Strides, 2> strides = {x.strides, y.strides};
    walk_ = StridedWalk(rows, strides, WalkUnit::kElement);
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    if (k_ == 0) return absl::OkStatus();
    const auto* x = static_cast<const float*>(operands[0]);
    auto* values = static_cast<float*>(operands[1]);
    auto* indices = static_cast<int32_t*>(operands[2]);
    auto* scratch = static_cast<uint64_t*>(operands[3]);
    ForRows(context, walk_.rows(), RowsPerChunk(n_), [&](int64_t begin, int64_t end, int slot) {
      auto at = walk_.At(begin);
      for (int64_t row = begin; row < end; ++row, walk_.Next(at)) {
        RunRow(x + at.offsets[0], scratch + slot * n_, values + at.offsets[1], indices + at.offsets[1]);
      }
    });
    return absl::OkStatus();
  }

  int64_t scratch_bytes() const override {
    return k_ == 0 ? 0 : max_width_ * n_ * static_cast<int64_t>(sizeof(uint64_t));
  }
  StepCost cost() const override {
    const double elements = static_cast<double>(walk_.rows()) * static_cast<double>(n_);
    return {.flops = 4 * elements, .bytes = 4 * elements};
  }
  const char* kernel() const override { return "partial sort"; }

 private:
  // Sorts (key, place) pairs as one number each, so that ties go to the lowest place.
  void RunRow(const float* x, uint64_t* pairs, float* values, int32_t* indices) const {
    const uint32_t flip = step_.largest_ ? ~0u : 0u;
    for (int64_t i = 0; i < n_; ++i) {
      pairs[i] = static_cast<uint64_t>(SortKey(x[i * x_stride_]) ^ flip) << 32 | static_cast<uint64_t>(i);
    }
    if (k_ == 1) {
      pairs[0] = *std::min_element(pairs, pairs + n_);
    } else {
      std::partial_sort(pairs, pairs + k_, pairs + n_);
    }
    for (int64_t j = 0; j < k_; ++j) {
      const auto place = static_cast<uint32_t>(pairs[j]);
      values[j * y_stride_] = x[place * x_stride_];
      indices[j * y_stride_] = static_cast<int32_t>(place);
    }
  }

  const TopKStep& step_;
  int64_t max_width_;
  int64_t n_ = 0, k_ = 0;
  int64_t x_stride_ = 0, y_stride_ = 0;
  StridedWalk walk_;
};

absl::StatusOr<std::unique_ptr<BoundStep>> TopKStep::Bind(const BindContext& context) const {
  return std::make_unique<BoundTopK>(*this, context);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileTopK(const CompileContext& context) {
  return std::make_unique<TopKStep>(context);
}

}  // namespace rml
