#include "tests/engine/random/node_tolerance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <set>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/kernels/denormals.h"

namespace rml {
namespace {

constexpr float kAnything = std::numeric_limits<float>::infinity();
constexpr double kTwoTo128 = 0x1p128;

using Names = std::set<std::string, std::less<>>;

// A unit in the last place of x, at least that of the smallest normal number.
double Ulp(float x) {
  if (!std::isfinite(x)) return std::ldexp(1, 128 - 24);
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1, std::max(exponent, -125) - 24);
}

std::vector<float> UlpBounds(const Tensor& expected, double ulps) {
  std::vector<float> bounds;
  for (float y : expected.data<float>()) bounds.push_back(BoundOf(ulps * Ulp(y) + kFlushed));
  return bounds;
}

std::vector<float> RelativeBounds(const Tensor& expected, double relative) {
  std::vector<float> bounds;
  for (float y : expected.data<float>())
    bounds.push_back(BoundOf((std::isfinite(y) ? relative * std::fabs(y) : 0) + kFlushed));
  return bounds;
}

std::vector<float> GeluBounds(const NodeRun& run, const Tensor& expected) {
  std::vector<float> bounds;
  for (int64_t i = 0; i < expected.num_elements(); ++i) {
    const float x = static_cast<const float*>(run.inputs[0].data)[i];
    const double y = std::fabs(expected.data<float>()[i]);
    bounds.push_back(BoundOf(x < -10 ? 1e-22 : 1e-5 * (std::isfinite(y) ? y : 0) + 2.5 * kFlushed));
  }
  return bounds;
}

// The finite elements' magnitudes, zeros for the others.
Tensor Magnitudes(const ConstTensorView& x, const std::function<double(double)>& of) {
  Tensor result(DType::kF32, x.shape);
  const auto* source = static_cast<const float*>(x.data);
  for (int64_t i = 0; i < result.num_elements(); ++i) {
    result.data<float>()[i] = std::isfinite(source[i]) ? static_cast<float>(of(source[i])) : 0.0f;
  }
  return result;
}

// The reference on magnitudes instead of values gives the sum of the terms' magnitudes.
Tensor TermMagnitudes(const NodeRun& run) {
  std::vector<Tensor> magnitudes;
  NodeRun same{run.op, run.attrs, {}};
  for (const ConstTensorView& input : run.inputs) {
    magnitudes.push_back(Magnitudes(input, [](double v) { return std::fabs(v); }));
    same.inputs.push_back(magnitudes.back().view());
  }
  return std::move(RunNodeReference(same)->front());
}

int64_t ReducedElements(const NodeRun& run) {
  int64_t n = 1;
  for (int64_t axis : run.attrs.Ints("axes")) n *= run.inputs[0].shape.dim(static_cast<int>(axis));
  return n;
}

// A sum: how many terms one after the other, how many in all, and what the result is divided by.
struct SumForm {
  int64_t in_a_row, terms, divisor;
};

SumForm SumFormOf(const NodeRun& run) {
  const std::string_view op = run.op.name;
  const auto product = [](int64_t K) { return SumForm{std::min<int64_t>(K, 256), K, 1}; };
  if (op == "matmul") return product(run.inputs[0].shape.dim(-1));
  if (op == "conv2d") {
    const Shape& w = run.inputs[1].shape;
    return product(w.dim(1) * w.dim(2) * w.dim(3));
  }
  if (op == "conv_transpose2d") {
    const Shape& w = run.inputs[1].shape;
    return product(w.dim(0) / run.attrs.Int("groups") * w.dim(2) * w.dim(3));
  }
  if (op == "avg_pool2d") {
    const int64_t area = run.attrs.Ints("kernel")[0] * run.attrs.Ints("kernel")[1];
    return {area, area, area};
  }
  const int64_t n = ReducedElements(run);
  return {std::min<int64_t>(n, 64), n, op == "reduce_mean" ? n : 1};
}

std::vector<float> SumBounds(const NodeRun& run) {
  const SumForm form = SumFormOf(run);
  const auto terms = static_cast<double>(form.terms);
  const double roundings = static_cast<double>(form.in_a_row) + terms / 256 + 6;
  std::vector<float> bounds;
  const Tensor magnitudes = TermMagnitudes(run);
  for (float magnitude : magnitudes.data<float>()) {
    const bool overflows = magnitude * static_cast<double>(form.divisor) >= kOverflows;
    bounds.push_back(overflows ? kAnything : BoundOf(roundings * kRoundoff * magnitude + (terms + 2) * kFlushed));
  }
  return bounds;
}

// The product of f64 lanes is exact to far below a rounding of f32, unless a lane overflows or is flushed.
std::vector<float> ProductBounds(const NodeRun& run, const Tensor& expected) {
  constexpr double kSafeLog2 = 1000;
  const Tensor logs =
      Magnitudes(run.inputs[0], [](double v) { return v == 0 ? 0 : std::fabs(std::log2(std::fabs(v))); });
  const Tensor sums = std::move(RunNodeReference({*FindOp("reduce_sum"), run.attrs, {logs.view()}})->front());
  std::vector<float> bounds = UlpBounds(expected, 1.01);
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (sums.data<float>()[i] > kSafeLog2) bounds[i] = kAnything;
  }
  return bounds;
}

std::string Mismatch(int64_t element, double actual, double expected, double bound) {
  return absl::StrFormat("element %d is %.9g; expected %.9g%s", element, actual, expected,
                         bound > 0 ? absl::StrFormat(" within %.3g", bound) : "");
}

bool IsFlushable(uint32_t bits) { return (bits & 0x7fffffff) < 0x00800000; }

bool AgreesInBits(float actual, float expected) {
  const auto a = std::bit_cast<uint32_t>(actual), e = std::bit_cast<uint32_t>(expected);
  if (a == e || (std::isnan(actual) && std::isnan(expected))) return true;
  return IsFlushable(a) && IsFlushable(e) && a >> 31 == e >> 31;
}

bool AgreesWithin(float actual, float expected, float bound) {
  if (bound == kAnything || AgreesInBits(actual, expected)) return true;
  if (std::isnan(actual) || std::isnan(expected)) return false;
  if (std::isinf(actual) && std::isinf(expected)) return false;
  // Rounding to infinity is rounding to 2^128.
  const auto value = [](float v) { return std::isinf(v) ? std::copysign(kTwoTo128, v) : static_cast<double>(v); };
  const bool zeros = IsFlushable(std::bit_cast<uint32_t>(actual)) && IsFlushable(std::bit_cast<uint32_t>(expected));
  return zeros || std::fabs(value(actual) - value(expected)) <= bound;
}

}  // namespace

float BoundOf(double bound) {
  if (!(bound < kOverflows)) return kAnything;
  const auto rounded = static_cast<float>(bound);
  return rounded < bound ? std::nextafter(rounded, kAnything) : rounded;
}

absl::StatusOr<std::vector<Tensor>> RunNodeReference(const NodeRun& run) {
  std::vector<TensorType> types;
  for (const ConstTensorView& input : run.inputs) types.push_back({input.dtype, input.shape});
  ASSIGN_OR_RETURN(const std::vector<TensorType> output_types, run.op.infer(run.attrs, types));
  std::vector<Tensor> outputs;
  for (const TensorType& type : output_types) outputs.emplace_back(type.dtype, type.shape);
  const ScopedFlushDenormals flush;
  RETURN_IF_ERROR(run.op.reference(run.attrs, run.inputs, absl::MakeSpan(outputs)));
  return outputs;
}

std::vector<OutputTolerance> TolerancesOf(const NodeRun& run, const std::vector<Tensor>& expected) {
  static const auto* ulps =
      new Names{"exp", "log", "expm1", "log1p", "rsqrt", "sin", "cos", "tanh", "sigmoid", "erf", "pow"};
  static const auto* values = new Names{"clamp", "reduce_max", "reduce_min", "max_pool2d"};
  static const auto* sums =
      new Names{"matmul", "conv2d", "conv_transpose2d", "avg_pool2d", "reduce_sum", "reduce_mean"};
  std::vector<OutputTolerance> tolerances(expected.size());
  OutputTolerance& first = tolerances[0];
  if (expected[0].dtype() == DType::kI32) return tolerances;
  const std::string_view op = run.op.name;
  if (values->contains(op)) first.agreement = Agreement::kValues;
  if (ulps->contains(op)) first = {Agreement::kBounds, UlpBounds(expected[0], 2.5)};
  if (op == "erfc") first = {Agreement::kBounds, RelativeBounds(expected[0], 1e-5)};
  if (op == "gelu") first = {Agreement::kBounds, GeluBounds(run, expected[0])};
  if (sums->contains(op)) first = {Agreement::kBounds, SumBounds(run)};
  if (op == "reduce_prod") first = {Agreement::kBounds, ProductBounds(run, expected[0])};
  if (op == "softmax" || op == "log_softmax") first = {Agreement::kBounds, SoftmaxBounds(run, expected[0])};
  if (op == "layer_norm") first = {Agreement::kBounds, LayerNormBounds(run, expected[0])};
  if (op == "resize2d" && run.attrs.String("mode") != "nearest") {
    first = {Agreement::kBounds, ResizeBounds(run, expected[0])};
  }
  if (op == "sdpa") first = {Agreement::kBounds, SdpaBounds(run, expected[0])};
  return tolerances;
}

std::string Disagreement(const ConstTensorView& actual, const ConstTensorView& expected,
                         const OutputTolerance& tolerance) {
  if (actual.dtype != expected.dtype || !(actual.shape == expected.shape)) {
    return absl::StrFormat("is %s; expected %s", ToString(TensorType{actual.dtype, actual.shape}),
                           ToString(TensorType{expected.dtype, expected.shape}));
  }
  const int64_t count = actual.shape.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    if (actual.dtype == DType::kI32) {
      const int32_t a = static_cast<const int32_t*>(actual.data)[i], e = static_cast<const int32_t*>(expected.data)[i];
      if (a != e) return Mismatch(i, a, e, 0);
      continue;
    }
    const float a = static_cast<const float*>(actual.data)[i], e = static_cast<const float*>(expected.data)[i];
    const float bound = tolerance.agreement == Agreement::kBounds ? tolerance.bounds[i] : 0;
    const bool agrees = tolerance.agreement == Agreement::kBits ? AgreesInBits(a, e) : AgreesWithin(a, e, bound);
    if (!agrees) return Mismatch(i, a, e, bound);
  }
  return "";
}

}  // namespace rml
