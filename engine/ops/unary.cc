#include "engine/ops/unary.h"

#include <cmath>

#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {
namespace {

template <typename F>
absl::Status Map(absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs, F f) {
  const float* x = F32(inputs[0]);
  absl::Span<float> y = outputs[0].data<float>();
  for (size_t i = 0; i < y.size(); ++i) y[i] = f(x[i]);
  return absl::OkStatus();
}

// The same on i32, modulo 2^32, or on f32.
template <typename F, typename G>
absl::Status MapAny(absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs, F f32, G i32) {
  if (inputs[0].dtype == DType::kF32) return Map(inputs, outputs, f32);
  const int32_t* x = I32(inputs[0]);
  absl::Span<int32_t> y = outputs[0].data<int32_t>();
  for (size_t i = 0; i < y.size(); ++i) y[i] = i32(x[i]);
  return absl::OkStatus();
}

int32_t WrappingNeg(int32_t v) { return static_cast<int32_t>(0u - static_cast<uint32_t>(v)); }

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferUnaryAny(const OpAttrs&, absl::Span<const TensorType> inputs) {
  return std::vector<TensorType>{inputs[0]};
}

absl::StatusOr<std::vector<TensorType>> InferUnary(const OpAttrs&, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[0], DType::kF32, "x"));
  return std::vector<TensorType>{inputs[0]};
}

absl::Status ReferenceNeg(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return MapAny(in, out, [](float v) { return -v; }, &WrappingNeg);
}
absl::Status ReferenceAbs(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return MapAny(in, out, [](float v) { return std::fabs(v); }, [](int32_t v) { return v < 0 ? WrappingNeg(v) : v; });
}
absl::Status ReferenceRelu(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return MapAny(in, out, [](float v) { return v < 0 ? 0.0f : v; }, [](int32_t v) { return v < 0 ? 0 : v; });
}
absl::Status ReferenceSign(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return MapAny(
      in, out, [](float v) { return v == 0 || std::isnan(v) ? v : std::copysign(1.0f, v); },
      [](int32_t v) { return v == 0  ? 0
                             : v < 0 ? -1
                                     : 1; });
}
absl::Status ReferenceFloor(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return std::floor(Flushed(v)); });
}
absl::Status ReferenceCeil(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return std::ceil(Flushed(v)); });
}
absl::Status ReferenceRoundEven(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return std::nearbyint(v); });
}
absl::Status ReferenceExp(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return static_cast<float>(std::exp(static_cast<double>(v))); });
}
absl::Status ReferenceLog(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return static_cast<float>(std::log(static_cast<double>(v))); });
}
absl::Status ReferenceExpm1(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return static_cast<float>(std::expm1(static_cast<double>(v))); });
}
absl::Status ReferenceLog1p(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return static_cast<float>(std::log1p(static_cast<double>(v))); });
}
absl::Status ReferenceSqrt(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return std::sqrt(v); });
}
absl::Status ReferenceRsqrt(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(v))); });
}
absl::Status ReferenceReciprocal(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return 1.0f / v; });
}
absl::Status ReferenceSin(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return static_cast<float>(std::sin(static_cast<double>(v))); });
}
absl::Status ReferenceCos(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return static_cast<float>(std::cos(static_cast<double>(v))); });
}
absl::Status ReferenceTanh(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return static_cast<float>(std::tanh(static_cast<double>(v))); });
}
absl::Status ReferenceSigmoid(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(v)))); });
}
absl::Status ReferenceErf(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return static_cast<float>(std::erf(static_cast<double>(v))); });
}
absl::Status ReferenceErfc(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return Map(in, out, [](float v) { return static_cast<float>(std::erfc(static_cast<double>(v))); });
}

}  // namespace rml
