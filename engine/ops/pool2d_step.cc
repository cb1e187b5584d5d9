// Pooling windows are taken apart: the rows of a window are combined first, for all columns at once, then the columns.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>

#include "engine/ops/chunks.h"
#include "engine/ops/pool2d.h"
#include "engine/ops/strided_walk.h"

namespace rml {
namespace {

// One image axis of a pooling.
struct PoolAxis {
  int64_t size = 0, kernel = 0, stride = 1, pad_before = 0, pad_after = 0, dilation = 1;
  int64_t outputs = 0;

  int64_t Start(int64_t output) const { return output * stride - pad_before; }
  // Taps [first, last) of window `output` lie inside the image.
  int64_t FirstTap(int64_t output) const { return std::max<int64_t>(0, CeilDiv(-Start(output))); }
  int64_t LastTap(int64_t output) const { return std::min(kernel, CeilDiv(size - Start(output))); }
  // Outputs [first, last) whose tap lies inside the image.
  int64_t FirstOutput(int64_t tap) const {
    const int64_t gap = pad_before - tap * dilation;
    return gap <= 0 ? 0 : std::min(outputs, (gap + stride - 1) / stride);
  }
  int64_t LastOutput(int64_t tap) const {
    const int64_t room = size + pad_before - tap * dilation;
    return room <= 0 ? 0 : std::min(outputs, (room + stride - 1) / stride);
  }
  // What an average divides by along this axis (dilation 1).
  int64_t Divisor(int64_t output, bool include_pad) const {
    const int64_t start = Start(output);
    if (include_pad) return std::min(start + kernel, size + pad_after) - start;
    return std::min(start + kernel, size) - std::max<int64_t>(start, 0);
  }

 private:
  int64_t CeilDiv(int64_t distance) const { return distance <= 0 ? 0 : (distance + dilation - 1) / dilation; }
};

class PoolStep : public Step {
 public:
  PoolStep(const CompileContext& context, bool averages) : kernels_(context.kernels), averages_(averages) {}

  // Images may lie anywhere if the elements of their rows are adjacent.
  bool ReadsInPlace(int, const View& input) const override {
    return input.contiguous() || input.strides[3] == 1 || input.shape.dim(3) == 1;
  }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;

 private:
  friend class BoundPool;
  friend class BoundMaxPool;
  friend class BoundAvgPool;

  const KernelTable& kernels_;
  bool averages_;
};

// What both kinds share: planes, axes, rows of outputs spread over threads.
class BoundPool : public BoundStep {
 public:
  BoundPool(const PoolStep& step, const BindContext& context)
      : step_(step), max_width_(std::max(1, context.max_width)) {
    const View& x = context.inputs[0];
    const View& y = context.outputs[0];
    for (int i = 0; i < 2; ++i) {
      axes_[i] = {.size = x.shape.dim(2 + i),
                  .kernel = context.attrs.Ints("kernel")[i],
                  .stride = context.attrs.Ints("strides")[i],
                  .pad_before = context.attrs.Ints("pads")[i],
                  .pad_after = context.attrs.Ints("pads")[2 + i],
                  .dilation = step.averages_ ? 1 : context.attrs.Ints("dilations")[i],
                  .outputs = y.shape.dim(2 + i)};
    }
    row_stride_ = x.strides[2];
    Shape planes = x.shape;
    planes.set_dim(2, 1);
    planes.set_dim(3, 1);
    const std::array<Strides, 2> strides = {x.strides, y.strides};
    planes_ = StridedWalk(planes, strides, WalkUnit::kElement);
    const auto outputs = static_cast<double>(y.shape.num_elements());
    cost_ = {.flops = outputs * static_cast<double>(axes_[0].kernel * axes_[1].kernel),
             .bytes = 4 * (outputs + static_cast<double>(x.shape.num_elements()))};
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const auto* x = static_cast<const float*>(operands[0]);
    auto* y = static_cast<float*>(operands[1]);
    auto* scratch = static_cast<char*>(scratch_bytes() > 0 ? operands[2] : nullptr);
    const int64_t rows = axes_[0].outputs;
    if (axes_[1].outputs == 0 || rows == 0) return absl::OkStatus();
    const int64_t row_work = axes_[1].outputs * axes_[0].kernel * axes_[1].kernel;
    ForRows(context, planes_.rows() * rows, RowsPerChunk(row_work), [&](int64_t begin, int64_t end, int slot) {
      auto at = planes_.At(begin / rows);
      int64_t row = begin % rows;
      for (int64_t i = begin; i < end; ++i) {
        RunRow(x + at.offsets[0], row, scratch + slot * SlotBytes(), y + at.offsets[1] + row * axes_[1].outputs);
        if (++row == rows) {
          row = 0;
          planes_.Next(at);
        }
      }
    });
    return absl::OkStatus();
  }

  int64_t scratch_bytes() const override { return max_width_ * SlotBytes(); }
  StepCost cost() const override { return cost_; }
  const char* kernel() const override { return step_.kernels_.isa; }

 protected:
  // One row of outputs of a plane. `scratch` holds SlotBytes().
  virtual void RunRow(const float* plane, int64_t row, char* scratch, float* y) const = 0;

  // A row of sums and a row of the image, each on its own cache lines.
  int64_t SumBytes() const { return (axes_[1].outputs * 8 + 63) / 64 * 64; }
  int64_t SlotBytes() const { return SumBytes() + (axes_[1].size * 4 + 63) / 64 * 64; }

  // result = the rows of window taps [first, last) combined by `combine`. Requires first < last.
  void CombineRows(const float* plane, int64_t row, int64_t first, int64_t last, const BinaryFns& combine,
                   float* result) const {
    const int64_t width = axes_[1].size;
    const float* source = plane + (axes_[0].Start(row) + first * axes_[0].dilation) * row_stride_;
    const int64_t step = axes_[0].dilation * row_stride_;
    std::memcpy(result, source, width * sizeof(float));
    for (int64_t tap = first + 1; tap < last; ++tap) {
      source += step;
      combine.vv(result, source, width, result);
    }
  }

  const PoolStep& step_;
  std::array<PoolAxis, 2> axes_;

 private:
  int64_t max_width_;
  int64_t row_stride_ = 0;
  StridedWalk planes_;
  StepCost cost_;
};

class BoundMaxPool : public BoundPool {
 public:
  using BoundPool::BoundPool;

 protected:
  void RunRow(const float* plane, int64_t row, char* scratch, float* y) const override {
    const PoolAxis& columns = axes_[1];
    std::fill_n(y, columns.outputs, -std::numeric_limits<float>::infinity());
    const int64_t first = axes_[0].FirstTap(row);
    const int64_t last = axes_[0].LastTap(row);
    if (first >= last || columns.size == 0) return;
    auto* line = reinterpret_cast<float*>(scratch);
    CombineRows(plane, row, first, last, step_.kernels_.maximum, line);
    for (int64_t tap = 0; tap < columns.kernel; ++tap) {
      const int64_t from = columns.FirstOutput(tap);
      const int64_t to = columns.LastOutput(tap);
      if (from >= to) continue;
      const float* source = line + columns.Start(from) + tap * columns.dilation;
      if (columns.stride == 1) {
        step_.kernels_.maximum.vv(y + from, source, to - from, y + from);
      } else {
        for (int64_t i = from; i < to; ++i, source += columns.stride) {
          if (*source > y[i] || *source != *source) y[i] = *source;
        }
      }
    }
  }
};

class BoundAvgPool : public BoundPool {
 public:
  BoundAvgPool(const PoolStep& step, const BindContext& context)
      : BoundPool(step, context), include_pad_(context.attrs.Bool("count_include_pad")) {}

 protected:
  // At most 64 rows are summed in f32; columns and the rest in f64.
  void RunRow(const float* plane, int64_t row, char* scratch, float* y) const override {
    constexpr int64_t kMaxRows = 64;
    const PoolAxis& columns = axes_[1];
    auto* sums = reinterpret_cast<double*>(scratch);
    auto* line = reinterpret_cast<float*>(scratch + SumBytes());
    std::fill_n(sums, columns.outputs, 0.0);
    const int64_t last = columns.size == 0 ? 0 : axes_[0].LastTap(row);
    for (int64_t first = axes_[0].FirstTap(row); first < last; first += kMaxRows) {
      CombineRows(plane, row, first, std::min(last, first + kMaxRows), step_.kernels_.add, line);
      for (int64_t tap = 0; tap < columns.kernel; ++tap) AddColumns(line, tap, sums);
    }
    const auto height = static_cast<double>(axes_[0].Divisor(row, include_pad_));
    for (int64_t i = 0; i < columns.outputs; ++i) {
      y[i] = static_cast<float>(sums[i] / (height * static_cast<double>(columns.Divisor(i, include_pad_))));
    }
  }

 private:
  void AddColumns(const float* line, int64_t tap, double* sums) const {
    const PoolAxis& columns = axes_[1];
    const int64_t from = columns.FirstOutput(tap);
    const int64_t to = columns.LastOutput(tap);
    if (from >= to) return;
    const float* source = line + columns.Start(from) + tap;
    if (columns.stride == 1) {
      for (int64_t i = from; i < to; ++i) sums[i] += static_cast<double>(source[i - from]);
    } else {
      for (int64_t i = from; i < to; ++i, source += columns.stride) sums[i] += static_cast<double>(*source);
    }
  }

  bool include_pad_;
};

absl::StatusOr<std::unique_ptr<BoundStep>> PoolStep::Bind(const BindContext& context) const {
  if (averages_) return std::make_unique<BoundAvgPool>(*this, context);
  return std::make_unique<BoundMaxPool>(*this, context);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileMaxPool2d(const CompileContext& context) {
  return std::make_unique<PoolStep>(context, false);
}

absl::StatusOr<std::unique_ptr<Step>> CompileAvgPool2d(const CompileContext& context) {
  return std::make_unique<PoolStep>(context, true);
}

}  // namespace rml
