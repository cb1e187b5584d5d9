// y = data, then one update after the other along the axis. Threads share the columns (what lies before and behind the
// axis), so that the updates of an element are added in one order.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>

#include "engine/ops/chunks.h"
#include "engine/ops/index_rule.h"
#include "engine/ops/scatter_add.h"
#include "engine/ops/strided_walk.h"

namespace rml {
namespace {

constexpr int64_t kColumnsPerLine = 16;  // of a cache line: two threads do not write to one

class ScatterAddStep : public Step {
 public:
  explicit ScatterAddStep(const CompileContext& context)
      : axis_(static_cast<int>(context.attrs.Int("axis"))),
        is_f32_(context.graph.values[context.node.inputs[0]].dtype == DType::kF32) {}

  bool ReadsInPlace(int index, const View& input) const override { return index != 0 || input.contiguous(); }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;

 private:
  friend class BoundScatterAdd;

  int axis_;
  bool is_f32_;
};

// n elements: y[j * y_stride] += updates[j * stride]. i32 wraps.
template <typename T>
void AddRow(const int32_t* updates, int64_t stride, int64_t n, int32_t* y, int64_t y_stride) {
  for (int64_t j = 0; j < n; ++j) {
    T sum, update;
    std::memcpy(&sum, &y[j * y_stride], sizeof(T));
    std::memcpy(&update, &updates[j * stride], sizeof(T));
    sum += update;
    std::memcpy(&y[j * y_stride], &sum, sizeof(T));
  }
}

class BoundScatterAdd : public BoundStep {
 public:
  BoundScatterAdd(const ScatterAddStep& step, const BindContext& context)
      : step_(step), indices_(context.inputs[1]), elements_(context.outputs[0].shape.num_elements()) {
    const View& updates = context.inputs[2];
    const View& y = context.outputs[0];
    const Shape& shape = indices_.shape;
    rule_ = IndexRule(context.attrs, y.shape.dim(step.axis_));
    count_ = shape.dim(step.axis_);
    for (int k = 0; k < 3; ++k)
      axis_strides_[k] = (k == kY ? y : k == kIndices ? indices_ : updates).strides[step.axis_];
    Shape outer = shape, inner = shape;
    for (int d = 0; d < shape.rank(); ++d) (d < step.axis_ ? inner : outer).set_dim(d, 1);
    inner.set_dim(step.axis_, 1);
    const std::array<Strides, 3> strides = {y.strides, indices_.strides, updates.strides};
    outer_ = StridedWalk(outer, strides, WalkUnit::kElement);
    inner_ = StridedWalk(inner, strides);
    // Chunks of columns that have enough updates to pay for being handed over.
    columns_ = std::max(kColumnsPerLine, RowsPerChunk(count_) / kColumnsPerLine * kColumnsPerLine);
    chunks_ = (inner_.inner() + columns_ - 1) / columns_;
    cost_ = {.flops = static_cast<double>(shape.num_elements()),
             .bytes = 8 * static_cast<double>(elements_) + 16 * static_cast<double>(shape.num_elements())};
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const auto* data = static_cast<const int32_t*>(operands[0]);
    const auto* indices = static_cast<const int32_t*>(operands[1]);
    const auto* updates = static_cast<const int32_t*>(operands[2]);
    auto* y = static_cast<int32_t*>(operands[3]);
    if (elements_ > 0) {
      ForRows(context, elements_, kElementsPerChunk, [&](int64_t begin, int64_t end, int) {
        std::memcpy(y + begin, data + begin, (end - begin) * sizeof(int32_t));
      });
    }
    std::atomic<bool> outside = false;
    const int64_t runs = inner_.rows() * chunks_;  // for each position before the axis
    ForRows(context, outer_.rows() * runs, RowsPerChunk(count_ * std::min(columns_, inner_.inner())),
            [&](int64_t begin, int64_t end, int) {
              bool all_inside = true;
              for (int64_t unit = begin; unit < end; ++unit) {
                const auto before = outer_.At(unit / runs);
                const auto behind = inner_.At(unit % runs / chunks_);
                const int64_t first = unit % chunks_ * columns_;
                std::array<int64_t, 3> at{};
                for (int k = 0; k < 3; ++k)
                  at[k] = before.offsets[k] + behind.offsets[k] + first * inner_.inner_stride(k);
                all_inside &= AddColumns(y + at[kY], indices + at[kIndices], updates + at[kUpdates],
                                         std::min(columns_, inner_.inner() - first));
              }
              if (!all_inside) outside = true;
            });
    return outside ? rule_.Check(indices_.shape, indices_.strides, indices) : absl::OkStatus();
  }

  StepCost cost() const override { return cost_; }
  const char* kernel() const override { return "scatter"; }

 private:
  enum : uint8_t { kY, kIndices, kUpdates };

  void Add(const int32_t* updates, int64_t n, int32_t* y) const {
    if (step_.is_f32_) {
      AddRow<float>(updates, inner_.inner_stride(kUpdates), n, y, inner_.inner_stride(kY));
    } else {
      AddRow<uint32_t>(updates, inner_.inner_stride(kUpdates), n, y, inner_.inner_stride(kY));
    }
  }

  // n columns along the whole axis. Whether every index had a position.
  bool AddColumns(int32_t* y, const int32_t* indices, const int32_t* updates, int64_t n) const {
    // An index that is repeated along the columns moves a whole row.
    const bool whole_rows = inner_.inner_stride(kIndices) == 0;
    const int64_t width = whole_rows ? n : 1;
    bool all_inside = true;
    for (int64_t i = 0; i < count_; ++i) {
      for (int64_t j = 0; j < n; j += width) {
        const int64_t position = rule_.Position(indices[j * inner_.inner_stride(kIndices)]);
        all_inside &= position >= 0;
        if (position < 0) continue;
        Add(updates + j * inner_.inner_stride(kUpdates), width,
            y + position * axis_strides_[kY] + j * inner_.inner_stride(kY));
      }
      indices += axis_strides_[kIndices];
      updates += axis_strides_[kUpdates];
    }
    return all_inside;
  }

  const ScatterAddStep& step_;
  View indices_;
  int64_t elements_;
  IndexRule rule_;
  StridedWalk outer_, inner_;
  std::array<int64_t, 3> axis_strides_{};  // of y, indices and updates
  int64_t count_ = 0;                      // updates of a column
  int64_t columns_ = 1, chunks_ = 0;
  StepCost cost_;
};

absl::StatusOr<std::unique_ptr<BoundStep>> ScatterAddStep::Bind(const BindContext& context) const {
  return std::make_unique<BoundScatterAdd>(*this, context);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileScatterAdd(const CompileContext& context) {
  return std::make_unique<ScatterAddStep>(context);
}

}  // namespace rml
