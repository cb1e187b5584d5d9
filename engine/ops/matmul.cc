#include "engine/ops/matmul.h"

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {
namespace {

// The leading axes of an operand of rank >= 2, none for a vector.
Shape BatchOf(const Shape& shape) {
  Shape batch;
  for (int d = 0; d + 2 < shape.rank(); ++d) batch.push_back(shape.dim(d));
  return batch;
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferMatMul(const OpAttrs&, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[0], DType::kF32, "a"));
  RETURN_IF_ERROR(ExpectDType(inputs[1], DType::kF32, "b"));
  const Shape& a = inputs[0].shape;
  const Shape& b = inputs[1].shape;
  if (a.rank() < 1 || b.rank() < 1) {
    return absl::InvalidArgumentError(
        absl::StrFormat("inputs 'a' and 'b' have shapes %s and %s; expected rank 1 or more", ToString(a), ToString(b)));
  }
  const int64_t K = a.dim(-1);
  const int64_t b_rows = b.rank() == 1 ? b.dim(0) : b.dim(-2);
  if (b_rows != K) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "input 'b' has shape %s; expected %d rows to match input 'a' of shape %s", ToString(b), K, ToString(a)));
  }
  ASSIGN_OR_RETURN(Shape shape, BroadcastShapes(BatchOf(a), BatchOf(b)));
  if (a.rank() >= 2) shape.push_back(a.dim(-2));
  if (b.rank() >= 2) shape.push_back(b.dim(-1));
  return std::vector<TensorType>{{DType::kF32, shape}};
}

absl::Status ReferenceMatMul(const OpAttrs&, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs) {
  const Shape& a = inputs[0].shape;
  const Shape& b = inputs[1].shape;
  const int64_t M = a.rank() >= 2 ? a.dim(-2) : 1;
  const int64_t N = b.rank() >= 2 ? b.dim(-1) : 1;
  const int64_t K = a.dim(-1);
  const Shape a_batch = BatchOf(a);
  const Shape b_batch = BatchOf(b);
  const Shape batch = *BroadcastShapes(a_batch, b_batch);
  float* y = outputs[0].data<float>().data();
  ForEachIndex(batch, [&](const Index& index) {
    const float* a_data = F32(inputs[0]) + BroadcastOffset(a_batch, index, batch.rank()) * M * K;
    const float* b_data = F32(inputs[1]) + BroadcastOffset(b_batch, index, batch.rank()) * K * N;
    for (int64_t m = 0; m < M; ++m) {
      for (int64_t n = 0; n < N; ++n) {
        double sum = 0;
        for (int64_t k = 0; k < K; ++k) sum += static_cast<double>(a_data[m * K + k]) * b_data[k * N + n];
        *y++ = static_cast<float>(sum);
      }
    }
  });
  return absl::OkStatus();
}

}  // namespace rml
