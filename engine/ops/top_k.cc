#include "engine/ops/top_k.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferTopK(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(ExpectDType(inputs[0], DType::kF32, "x"));
  Shape shape = inputs[0].shape;
  RETURN_IF_ERROR(CheckAxis(attrs.Int("axis"), shape.rank(), "axis"));
  const int axis = static_cast<int>(attrs.Int("axis"));
  const int64_t k = attrs.Int("k");
  if (k < 0 || k > shape.dim(axis)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'k' is %d; expected 0 to %d, the size of the axis", k, shape.dim(axis)));
  }
  shape.set_dim(axis, k);
  return std::vector<TensorType>{{DType::kF32, shape}, {DType::kI32, shape}};
}

absl::Status ReferenceTopK(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs) {
  const Shape& x = inputs[0].shape;
  const int axis = static_cast<int>(attrs.Int("axis"));
  const bool largest = attrs.Bool("largest");
  if (outputs[0].num_elements() == 0) return absl::OkStatus();
  Shape rows = x;
  rows.set_dim(axis, 1);
  const auto element = [&](Index index, int64_t i) {
    index[axis] = i;
    return F32(inputs[0])[OffsetOf(x, index)];
  };
  ForEachIndex(rows, [&](Index index) {
    std::vector<int32_t> order(x.dim(axis));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32_t i, int32_t j) {
      const float a = element(index, largest ? i : j);
      const float b = element(index, largest ? j : i);
      return (std::isnan(a) && !std::isnan(b)) || a > b;
    });
    for (int64_t i = 0; i < attrs.Int("k"); ++i) {
      index[axis] = i;
      const int64_t at = OffsetOf(outputs[0].shape(), index);
      outputs[0].data<float>()[at] = element(index, order[i]);
      outputs[1].data<int32_t>()[at] = order[i];
    }
  });
  return absl::OkStatus();
}

}  // namespace rml
