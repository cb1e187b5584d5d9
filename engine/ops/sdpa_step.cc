// Attention one (leading index, block of queries) at a time: scores by a product, scale, mask, softmax of each row, and
// the product with the values, all in scratch that stays in L2.
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "engine/gemm/gemm.h"
#include "engine/ops/chunks.h"
#include "engine/ops/float_attr.h"
#include "engine/ops/sdpa.h"
#include "engine/ops/strided_walk.h"

namespace rml {
namespace {

// A block's scores fill at most 256 KiB, but it has no fewer rows than a product needs to run well.
constexpr int64_t kMaxBlockScores = 64 << 10;
constexpr int64_t kMinBlockRows = 16;
// Where no query sees a later key, small blocks spare the products beyond the last key that one of them sees. So few rows
// read their right-hand side in place, so that a block costs no packing (two tiles of avx512, four of avx2).
constexpr int64_t kCausalBlockRows = 24;

int64_t RoundUp(int64_t x, int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

class SdpaStep : public Step {
 public:
  explicit SdpaStep(const CompileContext& context)
      : kernels_(context.kernels),
        scale_(FloatAttr(context.attrs.Float("scale"))),
        causal_(context.attrs.Bool("causal")),
        has_mask_(context.node.inputs.size() > 3),
        name_(absl::StrFormat("attention %s %dx%d", kernels_.isa, kernels_.gemm.mr, kernels_.gemm.nr)) {}

  // Rows of q, k and v may lie anywhere if their elements are adjacent; those of the mask may also repeat one element.
  bool ReadsInPlace(int index, const View& input) const override {
    const int rank = input.shape.rank();
    if (input.contiguous() || rank == 0) return true;
    if (index < 3 && input.strides[rank - 2] < 0) return false;
    const int64_t stride = input.strides[rank - 1];
    return stride == 1 || input.shape.dim(rank - 1) == 1 || (index == 3 && stride == 0);
  }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;

 private:
  friend class BoundSdpa;

  const KernelTable& kernels_;
  float scale_;
  bool causal_;
  bool has_mask_;
  std::string name_;
};

// The leading axes of q, k, v, y and the mask are walked by two walks: four operands are the most that one takes.
class BoundSdpa : public BoundStep {
 public:
  BoundSdpa(const SdpaStep& step, const BindContext& context) : step_(step) {
    const View& q = context.inputs[0];
    const View& k = context.inputs[1];
    const View& v = context.inputs[2];
    const View& y = context.outputs[0];
    const int rank = q.shape.rank();
    queries_ = q.shape.dim(-2);
    keys_ = k.shape.dim(-2);
    depth_ = q.shape.dim(-1);
    value_depth_ = v.shape.dim(-1);
    q_stride_ = q.strides[rank - 2];
    k_stride_ = k.strides[rank - 2];
    v_stride_ = v.strides[rank - 2];
    Shape leading = y.shape;
    leading.set_dim(rank - 1, 1);
    leading.set_dim(rank - 2, 1);
    const std::array<Strides, 4> strides = {q.strides, k.strides, v.strides, y.strides};
    heads_ = StridedWalk(leading, strides, WalkUnit::kElement);
    if (step.has_mask_) BindMask(context.inputs[3], y.shape, leading);

    block_rows_ = step.causal_ ? kCausalBlockRows
                               : std::clamp(kMaxBlockScores / std::max<int64_t>(keys_, 1), kMinBlockRows,
                                            std::max(queries_, kMinBlockRows));
    blocks_ = (queries_ + block_rows_ - 1) / block_rows_;
    const int64_t rows = std::min(block_rows_, queries_);
    score_floats_ = RoundUp(rows * keys_, 16);
    const auto floats = [&](int64_t N, int64_t K) {
      return RoundUp(GemmScratchFloats(step.kernels_, GemmBForm::kStrided, rows, N, K), 16);
    };
    if (step.causal_) keys_floats_ = depth_ * RoundUp(keys_, 16);
    slot_floats_ = score_floats_ + keys_floats_ + std::max(floats(keys_, depth_), floats(value_depth_, keys_));
    max_width_ = std::max(1, context.max_width);
    const double scores =
        static_cast<double>(heads_.rows()) * static_cast<double>(queries_) * static_cast<double>(keys_);
    cost_ = {.flops = scores * (2 * static_cast<double>(depth_ + value_depth_) + 20) * (step.causal_ ? 0.5 : 1.0),
             .bytes = 4 * static_cast<double>(q.shape.num_elements() + k.shape.num_elements() + v.shape.num_elements() +
                                              y.shape.num_elements())};
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const int64_t units = heads_.rows() * blocks_;
    if (units == 0 || value_depth_ == 0) return absl::OkStatus();
    const int output = step_.has_mask_ ? 4 : 3;
    auto* scratch = static_cast<float*>(operands[output + 1]);
    // All blocks of a head on one thread where there are heads enough: its keys are then transposed once.
    const int64_t chunk = heads_.rows() >= context.width ? blocks_ : 1;
    ForRows(context, units, chunk, [&](int64_t begin, int64_t end, int slot) {
      for (int64_t unit = begin; unit < end; ++unit) {
        const bool new_head = unit == begin || unit % blocks_ == 0;
        RunBlock(operands, unit, new_head, scratch + slot * slot_floats_);
      }
    });
    return absl::OkStatus();
  }

  int64_t scratch_bytes() const override { return max_width_ * std::max<int64_t>(slot_floats_, 16) * kElementBytes; }
  StepCost cost() const override { return cost_; }
  const char* kernel() const override { return step_.name_.c_str(); }

 private:
  void BindMask(const View& mask, const Shape& output, const Shape& leading) {
    Shape scores = output;
    scores.set_dim(output.rank() - 1, keys_);
    const std::array<Strides, 1> strides = {BroadcastStrides(mask, scores)};
    mask_row_stride_ = strides[0][output.rank() - 2];
    mask_repeats_ = keys_ != 1 && strides[0][output.rank() - 1] == 0;
    masks_ = StridedWalk(leading, strides, WalkUnit::kElement);
  }

  void RunBlock(void* const* operands, int64_t unit, bool new_head, float* scratch) const {
    const auto at = heads_.At(unit / blocks_);
    const int64_t row = unit % blocks_ * block_rows_;
    const int64_t rows = std::min(block_rows_, queries_ - row);
    // Queries up to row + rows - 1 see no later key.
    const int64_t keys = step_.causal_ ? std::min(keys_, row + rows) : keys_;
    float* scores = scratch;
    float* transposed = scratch + score_floats_;
    float* gemm_scratch = transposed + keys_floats_;
    const auto* q = static_cast<const float*>(operands[0]) + at.offsets[0] + row * q_stride_;
    const auto* k = static_cast<const float*>(operands[1]) + at.offsets[1];
    const auto* v = static_cast<const float*>(operands[2]) + at.offsets[2];
    auto* y = static_cast<float*>(operands[step_.has_mask_ ? 4 : 3]) + at.offsets[3] + row * value_depth_;
    const GemmArgs score{.M = rows, .N = keys, .K = depth_, .A = {q, q_stride_, 1}, .C = scores, .ldc = keys_};
    StridedMatrix right{k, 1, k_stride_};
    if (step_.causal_) {
      right = {transposed, RoundUp(keys_, 16), 1};
      if (new_head) step_.kernels_.transpose(k, keys_, depth_, k_stride_, transposed, right.row_stride);
    }
    Gemm(step_.kernels_, score, right, gemm_scratch);

    const float* mask = nullptr;
    if (step_.has_mask_) {
      mask = static_cast<const float*>(operands[3]) + masks_.At(unit / blocks_).offsets[0] + row * mask_row_stride_;
    }
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t visible = step_.causal_ ? std::min(keys, row + i + 1) : keys;
      const float* mask_row = mask == nullptr ? nullptr : mask + i * mask_row_stride_;
      // A row masked throughout has no weights.
      step_.kernels_.attention_row(scores + i * keys_, visible, step_.scale_, mask_row, mask_repeats_);
      std::fill(scores + i * keys_ + visible, scores + i * keys_ + keys, 0.0f);
    }
    const GemmArgs product{
        .M = rows, .N = value_depth_, .K = keys, .A = {scores, keys_, 1}, .C = y, .ldc = value_depth_};
    Gemm(step_.kernels_, product, StridedMatrix{v, v_stride_, 1}, gemm_scratch);
  }

  const SdpaStep& step_;
  int64_t queries_ = 0, keys_ = 0, depth_ = 0, value_depth_ = 0;
  int64_t q_stride_ = 0, k_stride_ = 0, v_stride_ = 0;
  StridedWalk heads_, masks_;
  int64_t mask_row_stride_ = 0;
  bool mask_repeats_ = false;
  int64_t block_rows_ = 1, blocks_ = 0;
  int64_t score_floats_ = 0, keys_floats_ = 0, slot_floats_ = 0;
  int64_t max_width_ = 1;
  StepCost cost_;
};

absl::StatusOr<std::unique_ptr<BoundStep>> SdpaStep::Bind(const BindContext& context) const {
  return std::make_unique<BoundSdpa>(*this, context);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileSdpa(const CompileContext& context) {
  return std::make_unique<SdpaStep>(context);
}

}  // namespace rml
