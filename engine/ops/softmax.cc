#include "engine/ops/softmax.h"

#include <cmath>
#include <limits>

#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {
namespace {

// Calls row(first, step, n) for every row along the axis: its first element's offset and the distance of its elements.
template <typename Row>
void ForEachRow(const Shape& shape, int axis, Row row) {
  int64_t step = 1;
  for (int d = axis + 1; d < shape.rank(); ++d) step *= shape.dim(d);
  Shape rest = shape;
  rest.set_dim(axis, 1);
  if (shape.num_elements() == 0) return;
  ForEachIndex(rest, [&](const Index& index) { row(OffsetOf(shape, index), step, shape.dim(axis)); });
}

absl::Status Reference(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs,
                       bool log) {
  const float* x = F32(inputs[0]);
  float* y = outputs[0].data<float>().data();
  ForEachRow(inputs[0].shape, static_cast<int>(attrs.Int("axis")), [&](int64_t first, int64_t step, int64_t n) {
    double max = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < n; ++i) max = std::fmax(max, x[first + i * step]);
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += std::exp(x[first + i * step] - max);
    for (int64_t i = 0; i < n; ++i) {
      const double shifted = x[first + i * step] - max;
      y[first + i * step] = static_cast<float>(log ? shifted - std::log(sum) : std::exp(shifted) / sum);
    }
  });
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferSoftmax(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[0], DType::kF32, "x"));
  RETURN_IF_ERROR(CheckAxis(attrs.Int("axis"), inputs[0].shape.rank(), "axis"));
  return std::vector<TensorType>{inputs[0]};
}

absl::Status ReferenceSoftmax(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                              absl::Span<Tensor> outputs) {
  return Reference(attrs, inputs, outputs, false);
}

absl::Status ReferenceLogSoftmax(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                 absl::Span<Tensor> outputs) {
  return Reference(attrs, inputs, outputs, true);
}

}  // namespace rml
