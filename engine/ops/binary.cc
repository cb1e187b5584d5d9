#include "engine/ops/binary.h"

#include <cmath>
#include <limits>

#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {
namespace {

template <typename T, typename F>
void Zip(absl::Span<const ConstTensorView> inputs, Tensor& output, F f) {
  const auto* a = static_cast<const T*>(inputs[0].data);
  const auto* b = static_cast<const T*>(inputs[1].data);
  absl::Span<T> y = output.data<T>();
  const int rank = output.shape().rank();
  size_t i = 0;
  ForEachIndex(output.shape(), [&](const Index& index) {
    y[i++] = f(a[BroadcastOffset(inputs[0].shape, index, rank)], b[BroadcastOffset(inputs[1].shape, index, rank)]);
  });
}

template <typename F, typename G>
absl::Status ZipAny(absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs, F f32, G i32) {
  if (inputs[0].dtype == DType::kF32) {
    Zip<float>(inputs, outputs[0], f32);
  } else {
    Zip<int32_t>(inputs, outputs[0], i32);
  }
  return absl::OkStatus();
}

int32_t Wrap(uint32_t v) { return static_cast<int32_t>(v); }
uint32_t U(int32_t v) { return static_cast<uint32_t>(v); }

int32_t DivideI32(int32_t a, int32_t b) {
  if (b == 0) return -1;
  if (b == -1) return Wrap(0u - U(a));
  return a / b;
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferArithmetic(const OpAttrs&, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectSameDType(inputs[0], "a", inputs[1], "b"));
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShapes(inputs[0].shape, inputs[1].shape));
  return std::vector<TensorType>{{inputs[0].dtype, shape}};
}

absl::StatusOr<std::vector<TensorType>> InferPow(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[0], DType::kF32, "a"));
  return InferArithmetic(attrs, inputs);
}

absl::Status ReferenceAdd(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return ZipAny(
      in, out, [](float a, float b) { return a + b; }, [](int32_t a, int32_t b) { return Wrap(U(a) + U(b)); });
}
absl::Status ReferenceSub(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return ZipAny(
      in, out, [](float a, float b) { return a - b; }, [](int32_t a, int32_t b) { return Wrap(U(a) - U(b)); });
}
absl::Status ReferenceMul(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return ZipAny(
      in, out, [](float a, float b) { return a * b; }, [](int32_t a, int32_t b) { return Wrap(U(a) * U(b)); });
}
absl::Status ReferenceDiv(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return ZipAny(in, out, [](float a, float b) { return a / b; }, &DivideI32);
}
absl::Status ReferenceMaximum(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return ZipAny(
      in, out, [](float a, float b) { return std::isnan(a) || a > b ? a : b; },
      [](int32_t a, int32_t b) { return a > b ? a : b; });
}
absl::Status ReferenceMinimum(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return ZipAny(
      in, out, [](float a, float b) { return std::isnan(a) || a < b ? a : b; },
      [](int32_t a, int32_t b) { return a < b ? a : b; });
}
absl::Status ReferencePow(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  Zip<float>(in, out[0], [](float a, float b) {
    return static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
  });
  return absl::OkStatus();
}

}  // namespace rml
