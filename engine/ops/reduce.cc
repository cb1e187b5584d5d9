#include "engine/ops/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {
namespace {

bool Reduced(const OpAttrs& attrs, int axis) {
  const std::vector<int64_t>& axes = attrs.Ints("axes");
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// Folds the terms of each output in row-major order: acc = step(acc, term) from `initial`, then y = finish(acc, count).
template <typename T, typename Acc, typename Step, typename Finish>
void Fold(const OpAttrs& attrs, const ConstTensorView& x, Tensor& output, Acc initial, Step step, Finish finish) {
  const Shape& shape = x.shape;
  Shape kept = shape;  // with reduced axes of size 1: lies in memory like the output
  int64_t count = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    if (!Reduced(attrs, d)) continue;
    kept.set_dim(d, 1);
    count *= shape.dim(d);
  }
  std::vector<Acc> acc(output.num_elements(), initial);
  const auto* data = static_cast<const T*>(x.data);
  int64_t i = 0;
  ForEachIndex(shape, [&](Index index) {
    for (int d = 0; d < shape.rank(); ++d) {
      if (kept.dim(d) == 1) index[d] = 0;
    }
    Acc& a = acc[OffsetOf(kept, index)];
    a = step(a, data[i++]);
  });
  for (size_t o = 0; o < acc.size(); ++o) output.data<T>()[o] = finish(acc[o], count);
}

float ToFloat(double v, int64_t) { return static_cast<float>(v); }

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferReduceAny(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  const Shape& x = inputs[0].shape;
  RETURN_IF_ERROR(CheckAxes(attrs.Ints("axes"), x.rank(), "axes"));
  Shape shape;
  for (int d = 0; d < x.rank(); ++d) {
    if (!Reduced(attrs, d)) {
      shape.push_back(x.dim(d));
    } else if (attrs.Bool("keep_dims")) {
      shape.push_back(1);
    }
  }
  return std::vector<TensorType>{{inputs[0].dtype, shape}};
}

absl::StatusOr<std::vector<TensorType>> InferReduce(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[0], DType::kF32, "x"));
  return InferReduceAny(attrs, inputs);
}

absl::Status ReferenceReduceSum(const OpAttrs& attrs, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  if (in[0].dtype == DType::kF32) {
    Fold<float>(attrs, in[0], out[0], 0.0, [](double a, float v) { return a + v; }, &ToFloat);
  } else {
    Fold<int32_t>(
        attrs, in[0], out[0], 0u, [](uint32_t a, int32_t v) { return a + static_cast<uint32_t>(v); },
        [](uint32_t a, int64_t) { return static_cast<int32_t>(a); });
  }
  return absl::OkStatus();
}

absl::Status ReferenceReduceMean(const OpAttrs& attrs, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  Fold<float>(
      attrs, in[0], out[0], 0.0, [](double a, float v) { return a + v; },
      [](double a, int64_t n) { return static_cast<float>(a / static_cast<double>(n)); });
  return absl::OkStatus();
}

absl::Status ReferenceReduceProd(const OpAttrs& attrs, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  Fold<float>(attrs, in[0], out[0], 1.0, [](double a, float v) { return a * v; }, &ToFloat);
  return absl::OkStatus();
}

absl::Status ReferenceReduceMax(const OpAttrs& attrs, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  if (in[0].dtype == DType::kF32) {
    Fold<float>(
        attrs, in[0], out[0], -std::numeric_limits<double>::infinity(),
        [](double a, float v) { return std::isnan(a) || a > v ? a : static_cast<double>(v); }, &ToFloat);
  } else {
    Fold<int32_t>(
        attrs, in[0], out[0], INT32_MIN, [](int32_t a, int32_t v) { return std::max(a, v); },
        [](int32_t a, int64_t) { return a; });
  }
  return absl::OkStatus();
}

absl::Status ReferenceReduceMin(const OpAttrs& attrs, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  if (in[0].dtype == DType::kF32) {
    Fold<float>(
        attrs, in[0], out[0], std::numeric_limits<double>::infinity(),
        [](double a, float v) { return std::isnan(a) || a < v ? a : static_cast<double>(v); }, &ToFloat);
  } else {
    Fold<int32_t>(
        attrs, in[0], out[0], INT32_MAX, [](int32_t a, int32_t v) { return std::min(a, v); },
        [](int32_t a, int64_t) { return a; });
  }
  return absl::OkStatus();
}

}  // namespace rml
