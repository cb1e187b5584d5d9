#include "engine/ops/pad.h"

#include <bit>
#include <cmath>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/float_attr.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {

absl::StatusOr<std::vector<TensorType>> InferPad(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  Shape shape = inputs[0].shape;
  RETURN_IF_ERROR(CheckList(attrs.Ints("before"), shape.rank(), 0, "before"));
  RETURN_IF_ERROR(CheckList(attrs.Ints("after"), shape.rank(), 0, "after"));
  const double value = attrs.Float("value");
  const bool whole = std::trunc(value) == value && value >= INT32_MIN && value <= INT32_MAX;
  if (inputs[0].dtype == DType::kI32 && !whole) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'value' is %g; expected a whole number in the range of i32", value));
  }
  for (int d = 0; d < shape.rank(); ++d) {
    shape.set_dim(d, shape.dim(d) + attrs.Ints("before")[d] + attrs.Ints("after")[d]);
  }
  return std::vector<TensorType>{{inputs[0].dtype, shape}};
}

absl::Status ReferencePad(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs) {
  const double value = attrs.Float("value");
  const int32_t bits =
      inputs[0].dtype == DType::kI32 ? static_cast<int32_t>(value) : std::bit_cast<int32_t>(FloatAttr(value));
  absl::Span<int32_t> y = outputs[0].data<int32_t>();
  std::fill(y.begin(), y.end(), bits);
  int64_t i = 0;
  ForEachIndex(inputs[0].shape, [&](Index index) {
    for (int d = 0; d < inputs[0].shape.rank(); ++d) index[d] += attrs.Ints("before")[d];
    y[OffsetOf(outputs[0].shape(), index)] = I32(inputs[0])[i++];
  });
  return absl::OkStatus();
}

}  // namespace rml
