#include "engine/ops/matmul_step.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/gemm/gemm.h"
#include "engine/ops/layout.h"
#include "engine/ops/matmul.h"

namespace rml {
namespace {

std::string KernelName(const KernelTable& kernels, const char* form) {
  char name[64];
  std::snprintf(name, sizeof(name), "%s %s %dx%d", form, kernels.isa, kernels.gemm.mr, kernels.gemm.nr);
  return name;
}

StepCost ProductCost(double M, double N, double K, double batch) {
  return {.flops = 2 * M * N * K * batch, .bytes = 4 * (M * K + K * N + M * N) * batch};
}

// x[M, K] * W[K, N], W packed; leading axes of x are rows.
class LinearStep : public Step {
 public:
  LinearStep(const CompileContext& context, const LinearEpilogue& epilogue, PackedB weights)
      : kernels_(context.kernels),
        epilogue_(epilogue),
        weights_(std::move(weights)),
        name_(KernelName(context.kernels, "gemm packed")) {}

  bool ReadsInPlace(int, const View& input) const override { return RowStride(input).has_value(); }
  bool Prepared(int index) const override { return index == 1; }
  int64_t prepared_bytes() const override { return weights_.size_bytes(); }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;

 private:
  friend class BoundLinear;

  const KernelTable& kernels_;
  LinearEpilogue epilogue_;
  PackedB weights_;
  std::string name_;
};

class BoundLinear : public BoundStep {
 public:
  BoundLinear(const LinearStep& step, const BindContext& context) : step_(step) {
    const int64_t N = step.weights_.N();
    const int64_t K = step.weights_.K();
    const Shape& x = context.inputs[0].shape;
    int64_t M = 1;
    for (int i = 0; i + 1 < x.rank(); ++i) M *= x.dim(i);
    // NOLINTBEGIN(bugprone-unchecked-optional-access): ReadsInPlace
    args_ = {.M = M, .N = N, .K = K, .A = {.row_stride = *RowStride(context.inputs[0])}, .ldc = N};
    args_.epilogue = {.col_bias = step.epilogue_.bias, .activation = step.epilogue_.activation};
    if (step.epilogue_.has_addend) args_.epilogue.ld_addend = *RowStride(context.inputs[2]);
    // NOLINTEND(bugprone-unchecked-optional-access)
    scratch_bytes_ = 4 * GemmScratchFloats(step.kernels_, GemmBForm::kPacked, M, N, K, std::max(1, context.max_width));
    cost_ = ProductCost(static_cast<double>(M), static_cast<double>(N), static_cast<double>(K), 1);
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    GemmArgs args = args_;
    const int output = step_.epilogue_.has_addend ? 3 : 2;
    args.A.data = static_cast<const float*>(operands[0]);
    if (step_.epilogue_.has_addend) args.epilogue.addend = static_cast<const float*>(operands[2]);
    args.C = static_cast<float*>(operands[output]);
    float* scratch = scratch_bytes_ > 0 ? static_cast<float*>(operands[output + 1]) : nullptr;
    Gemm(step_.kernels_, args, &step_.weights_, scratch, {context.pool, context.width});
    return absl::OkStatus();
  }

  int64_t scratch_bytes() const override { return scratch_bytes_; }
  StepCost cost() const override { return cost_; }
  const char* kernel() const override { return step_.name_.c_str(); }

 private:
  const LinearStep& step_;
  GemmArgs args_;
  int64_t scratch_bytes_ = 0;
  StepCost cost_;
};

absl::StatusOr<std::unique_ptr<BoundStep>> LinearStep::Bind(const BindContext& context) const {
  return std::make_unique<BoundLinear>(*this, context);
}

// The last two axes as a matrix, whatever the rank; a vector is a row on the left and a column on the right.
StridedMatrix MatrixOf(const View& view, bool is_left) {
  const int rank = view.shape.rank();
  if (rank >= 2) return {nullptr, view.strides[rank - 2], view.strides[rank - 1]};
  return is_left ? StridedMatrix{nullptr, 0, view.strides[0]} : StridedMatrix{nullptr, view.strides[0], 0};
}

// Both sides computed at run time, or constants that are not a plain right-hand matrix.
class BatchedStep : public Step {
 public:
  explicit BatchedStep(const CompileContext& context)
      : kernels_(context.kernels), name_(KernelName(context.kernels, "gemm batched")) {}

  bool ReadsInPlace(int index, const View& input) const override {
    const int rank = input.shape.rank();
    for (int i = 0; i < rank; ++i) {
      if (input.strides[i] < 0) return false;
    }
    if (index == 1 || rank < 2) return true;  // packed on the fly from any strides
    const bool dense_rows = input.strides[rank - 1] == 1 || input.shape.dim(rank - 1) == 1;
    const bool dense_columns = input.strides[rank - 2] == 1 || input.shape.dim(rank - 2) == 1;
    return dense_rows || dense_columns;
  }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;

 private:
  friend class BoundBatched;

  const KernelTable& kernels_;
  std::string name_;
};

class BoundBatched : public BoundStep {
 public:
  BoundBatched(const BatchedStep& step, const BindContext& context) : step_(step) {
    const View& a = context.inputs[0];
    const View& b = context.inputs[1];
    const Shape& c = context.outputs[0].shape;
    args_.M = a.shape.rank() >= 2 ? a.shape.dim(-2) : 1;
    args_.K = a.shape.dim(-1);
    args_.N = b.shape.rank() >= 2 ? b.shape.dim(-1) : 1;
    args_.A = MatrixOf(a, true);
    args_.ldc = args_.N;
    b_ = MatrixOf(b, false);
    const int matrix_axes = (a.shape.rank() >= 2 ? 1 : 0) + (b.shape.rank() >= 2 ? 1 : 0);
    batch_rank_ = c.rank() - matrix_axes;
    for (int i = 0; i < batch_rank_; ++i) {
      batch_dims_[i] = c.dim(i);
      batch_ *= c.dim(i);
      a_strides_[i] = BatchStride(a, batch_rank_ - i);
      b_strides_[i] = BatchStride(b, batch_rank_ - i);
    }
    const int width = std::max(1, context.max_width);
    const int64_t one = GemmScratchFloats(step.kernels_, GemmBForm::kStrided, args_.M, args_.N, args_.K, width);
    const int64_t each = GemmScratchFloats(step.kernels_, GemmBForm::kStrided, args_.M, args_.N, args_.K, 1);
    scratch_floats_ = (each + 15) / 16 * 16;
    scratch_bytes_ = 4 * (batch_ == 1 ? one : scratch_floats_ * width);
    cost_ = ProductCost(static_cast<double>(args_.M), static_cast<double>(args_.N), static_cast<double>(args_.K),
                        static_cast<double>(batch_));
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const auto* a = static_cast<const float*>(operands[0]);
    const auto* b = static_cast<const float*>(operands[1]);
    auto* c = static_cast<float*>(operands[2]);
    float* scratch = scratch_bytes_ > 0 ? static_cast<float*>(operands[3]) : nullptr;
    const GemmThreads threads{context.pool, context.width};
    auto problem = [&](int64_t i) {
      GemmProblem p{args_, b_};
      p.args.A.data = a + Offset(i, a_strides_);
      std::get<StridedMatrix>(p.B).data = b + Offset(i, b_strides_);
      p.args.C = c + i * args_.M * args_.N;
      return p;
    };
    if (batch_ == 1) {
      const GemmProblem p = problem(0);
      Gemm(step_.kernels_, p.args, p.B, scratch, threads);
    } else {
      GemmBatch(step_.kernels_, batch_, problem, scratch, scratch_floats_, threads);
    }
    return absl::OkStatus();
  }

  int64_t scratch_bytes() const override { return scratch_bytes_; }
  StepCost cost() const override { return cost_; }
  const char* kernel() const override { return step_.name_.c_str(); }

 private:
  // The stride of the batch axis that is `from_matrix` axes before the matrix; 0 if the operand repeats along it.
  static int64_t BatchStride(const View& view, int from_matrix) {
    const int axis = view.shape.rank() - std::min(2, view.shape.rank()) - from_matrix;
    return axis >= 0 && view.shape.dim(axis) != 1 ? view.strides[axis] : 0;
  }

  int64_t Offset(int64_t batch, const Strides& strides) const {
    int64_t offset = 0;
    for (int d = batch_rank_ - 1; d >= 0; --d) {
      offset += batch % batch_dims_[d] * strides[d];
      batch /= batch_dims_[d];
    }
    return offset;
  }

  const BatchedStep& step_;
  GemmArgs args_;
  StridedMatrix b_;
  int batch_rank_ = 0;
  int64_t batch_ = 1;
  std::array<int64_t, kMaxRank> batch_dims_{};
  Strides a_strides_{};
  Strides b_strides_{};
  int64_t scratch_floats_ = 0;
  int64_t scratch_bytes_ = 0;
  StepCost cost_;
};

absl::StatusOr<std::unique_ptr<BoundStep>> BatchedStep::Bind(const BindContext& context) const {
  return std::make_unique<BoundBatched>(*this, context);
}

}  // namespace

bool IsLinear(const CompileContext& context) {
  const std::optional<ConstTensorView>& weight = context.constants[1];
  return weight.has_value() && weight->shape.rank() == 2;
}

absl::StatusOr<std::unique_ptr<Step>> MakeLinearStep(const CompileContext& context, const LinearEpilogue& epilogue) {
  const ConstTensorView& weight = *context.constants[1];  // NOLINT(bugprone-unchecked-optional-access): IsLinear
  const int64_t K = weight.shape.dim(0), N = weight.shape.dim(1);
  ASSIGN_OR_RETURN(PackedB packed,
                   PackedB::Pack({static_cast<const float*>(weight.data), N, 1}, K, N, context.kernels));
  return std::make_unique<LinearStep>(context, epilogue, std::move(packed));
}

absl::StatusOr<std::unique_ptr<Step>> CompileMatMul(const CompileContext& context) {
  if (IsLinear(context)) return MakeLinearStep(context, {});
  return std::make_unique<BatchedStep>(context);
}

}  // namespace rml
