// Reductions over any axes. Whatever the layout, the j-th term of an output (row-major over the reduced axes) is the
// j-th element of the row that the row kernel sees, so the bits depend on the number of terms alone.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>

#include "engine/ops/chunks.h"
#include "engine/ops/reduce.h"
#include "engine/ops/strided_walk.h"

namespace rml {
namespace {

// Columns gathered at a time when terms are not adjacent: a cache line of them, fewer when rows are long.
constexpr int64_t kBlock = 16;
constexpr int64_t kMaxGathered = 256 << 10;  // elements: 1 MiB, so that a block stays in L2

int32_t SumRow(const int32_t* x, int64_t n) {
  uint32_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<uint32_t>(x[i]);
  return static_cast<int32_t>(sum);
}
int32_t MaxRow(const int32_t* x, int64_t n) {
  int32_t result = std::numeric_limits<int32_t>::min();
  for (int64_t i = 0; i < n; ++i) result = std::max(result, x[i]);
  return result;
}
int32_t MinRow(const int32_t* x, int64_t n) {
  int32_t result = std::numeric_limits<int32_t>::max();
  for (int64_t i = 0; i < n; ++i) result = std::min(result, x[i]);
  return result;
}

// The reduction of one row of terms; i32 data passes through the same pointers.
class RowReducer {
 public:
  RowReducer(const KernelTable& kernels, std::string_view op, DType dtype) {
    if (dtype == DType::kI32) {
      i32_ = op == "reduce_sum" ? &SumRow : op == "reduce_max" ? &MaxRow : &MinRow;
    } else {
      f32_ = op == "reduce_sum"    ? kernels.sum_row
             : op == "reduce_mean" ? kernels.mean_row
             : op == "reduce_prod" ? kernels.prod_row
             : op == "reduce_max"  ? kernels.max_row
                                   : kernels.min_row;
    }
  }

  void Run(const float* x, int64_t n, float* y) const {
    if (f32_ != nullptr) {
      *y = f32_(x, n);
    } else {
      const int32_t result = i32_(reinterpret_cast<const int32_t*>(x), n);
      std::memcpy(y, &result, sizeof(result));
    }
  }

 private:
  float (*f32_)(const float*, int64_t) = nullptr;
  int32_t (*i32_)(const int32_t*, int64_t) = nullptr;
};

class ReduceStep : public Step {
 public:
  explicit ReduceStep(const CompileContext& context)
      : kernels_(context.kernels),
        reducer_(context.kernels, context.node.op, context.graph.values[context.node.inputs[0]].dtype) {}

  bool ReadsInPlace(int, const View&) const override { return true; }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;

 private:
  friend class BoundReduce;

  const KernelTable& kernels_;
  RowReducer reducer_;
};

class BoundReduce : public BoundStep {
 public:
  BoundReduce(const ReduceStep& step, const BindContext& context)
      : step_(step), max_width_(std::max(1, context.max_width)) {
    const View& x = context.inputs[0];
    std::array<bool, kMaxRank> is_reduced{};
    for (int64_t axis : context.attrs.Ints("axes")) is_reduced[axis] = true;
    Shape kept = x.shape;
    Shape reduced = x.shape;
    Strides output{};
    int64_t outputs = 1;
    for (int i = x.shape.rank() - 1; i >= 0; --i) {
      (is_reduced[i] ? kept : reduced).set_dim(i, 1);
      if (is_reduced[i]) {
        terms_ *= x.shape.dim(i);
      } else {
        output[i] = outputs;
        outputs *= x.shape.dim(i);
      }
    }
    const std::array<Strides, 1> terms = {x.strides};
    reduced_ = StridedWalk(reduced, terms);
    in_place_ = terms_ <= 1 || (reduced_.rows() == 1 && reduced_.inner_stride(0) == 1);
    const std::array<Strides, 2> both = {x.strides, output};
    kept_ = StridedWalk(kept, both, in_place_ ? WalkUnit::kElement : WalkUnit::kRun);
    if (!in_place_ && kept_.inner_stride(0) == 1) {
      block_ = std::min(kBlock, kept_.inner());
      while (block_ > 1 && block_ * terms_ > kMaxGathered) block_ /= 2;
    }
    block_ = std::max<int64_t>(1, block_);
    blocks_ = (kept_.inner() + block_ - 1) / block_;
    const auto elements = static_cast<double>(x.shape.num_elements());
    cost_ = {.flops = elements, .bytes = 4 * (elements + static_cast<double>(outputs))};
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const auto* x = static_cast<const float*>(operands[0]);
    auto* y = static_cast<float*>(operands[1]);
    if (in_place_) {
      ForRows(context, kept_.rows(), RowsPerChunk(terms_), [&](int64_t begin, int64_t end, int) {
        auto at = kept_.At(begin);
        for (int64_t row = begin; row < end; ++row, kept_.Next(at)) {
          step_.reducer_.Run(x + at.offsets[0], terms_, y + at.offsets[1]);
        }
      });
      return absl::OkStatus();
    }
    auto* scratch = static_cast<float*>(operands[2]);
    ForRows(context, kept_.rows() * blocks_, RowsPerChunk(block_ * terms_), [&](int64_t begin, int64_t end, int slot) {
      for (int64_t i = begin; i < end; ++i) RunBlock(x, i, scratch + slot * block_ * terms_, y);
    });
    return absl::OkStatus();
  }

  int64_t scratch_bytes() const override { return in_place_ ? 0 : max_width_ * block_ * terms_ * kElementBytes; }
  StepCost cost() const override { return cost_; }
  const char* kernel() const override { return step_.kernels_.isa; }

 private:
  // Gathers the terms of up to block_ neighbouring outputs as rows, then reduces each.
  void RunBlock(const float* x, int64_t unit, float* rows, float* y) const {
    const auto at = kept_.At(unit / blocks_);
    const int64_t first = unit % blocks_ * block_;
    const int64_t columns = std::min(block_, kept_.inner() - first);
    const float* source = x + at.offsets[0] + first * kept_.inner_stride(0);
    auto run = reduced_.At(0);
    for (int64_t r = 0; r < reduced_.rows(); ++r, reduced_.Next(run)) {
      const float* terms = source + run.offsets[0];
      float* target = rows + r * reduced_.inner();
      if (columns == 1 && reduced_.inner_stride(0) == 1) {
        std::memcpy(target, terms, reduced_.inner() * kElementBytes);
      } else {
        step_.kernels_.transpose(terms, reduced_.inner(), columns, reduced_.inner_stride(0), target, terms_);
      }
    }
    float* result = y + at.offsets[1] + first * kept_.inner_stride(1);
    for (int64_t c = 0; c < columns; ++c) {
      step_.reducer_.Run(rows + c * terms_, terms_, result + c * kept_.inner_stride(1));
    }
  }

  const ReduceStep& step_;
  int64_t max_width_;
  int64_t terms_ = 1;
  StridedWalk kept_, reduced_;
  bool in_place_ = false;
  int64_t block_ = 1;
  int64_t blocks_ = 1;
  StepCost cost_;
};

absl::StatusOr<std::unique_ptr<BoundStep>> ReduceStep::Bind(const BindContext& context) const {
  return std::make_unique<BoundReduce>(*this, context);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileReduce(const CompileContext& context) {
  return std::make_unique<ReduceStep>(context);
}

}  // namespace rml
