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

int32_t RemainderI32(int32_t a, int32_t b) {
  if (b == 0) return a;
  return static_cast<int32_t>(int64_t{a} % int64_t{b});
}

int32_t FloorDivI32(int32_t a, int32_t b) {
  if (b == 0) return -1;
  const int64_t quotient = int64_t{a} / int64_t{b};
  const bool rounded_up = int64_t{a} % int64_t{b} != 0 && (a < 0) != (b < 0);
  return Wrap(static_cast<uint32_t>(quotient - (rounded_up ? 1 : 0)));
}

float RemainderF32(float a, float b) {
  return static_cast<float>(std::fmod(static_cast<double>(Flushed(a)), static_cast<double>(Flushed(b))));
}

float FloorDivF32(float left, float right) {
  const double a = Flushed(left), b = Flushed(right);
  if (std::isinf(a)) return std::numeric_limits<float>::quiet_NaN();
  const double quotient = a / b;
  // Zeros and NaNs are here too. From 2^48 on the next whole number is far below f32's last place.
  if (!(std::fabs(left / right) < 0x1p48f)) return left / right;
  const double rest = std::fmod(a, b);
  if (std::isinf(b)) return std::copysign(rest != 0 && (a < 0) != (b < 0) ? 1.0f : 0.0f, static_cast<float>(quotient));
  const bool rounds_up = rest != 0 && (a < 0) != (b < 0);
  return static_cast<float>(std::copysign(std::nearbyint((a - rest) / b) - (rounds_up ? 1 : 0), quotient));
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
absl::Status ReferenceRemainder(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return ZipAny(in, out, &RemainderF32, &RemainderI32);
}
absl::Status ReferenceFloorDiv(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return ZipAny(in, out, &FloorDivF32, &FloorDivI32);
}

}  // namespace rml
