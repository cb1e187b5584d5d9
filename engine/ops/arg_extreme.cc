#include "engine/ops/arg_extreme.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {
namespace {

// The first element that is before all others in the order: before(a, b) says whether a displaces b.
template <typename T, typename Before>
void FindFirst(const OpAttrs& attrs, const ConstTensorView& x, Tensor& output, Before before) {
  const auto axis = static_cast<int>(attrs.Int("axis"));
  const auto* data = static_cast<const T*>(x.data);
  Shape heads = x.shape;
  heads.set_dim(axis, 1);
  int64_t column = 0;
  ForEachIndex(heads, [&](Index index) {
    int64_t best = OffsetOf(x.shape, index);
    int32_t place = 0;
    for (index[axis] = 1; index[axis] < x.shape.dim(axis); ++index[axis]) {
      const int64_t at = OffsetOf(x.shape, index);
      if (!before(data[at], data[best])) continue;
      best = at;
      place = static_cast<int32_t>(index[axis]);
    }
    output.data<int32_t>()[column++] = place;
  });
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferArgExtreme(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  const Shape& x = inputs[0].shape;
  RETURN_IF_ERROR(CheckAxis(attrs.Int("axis"), x.rank(), "axis"));
  const auto axis = static_cast<int>(attrs.Int("axis"));
  if (x.dim(axis) == 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("input 'x' is %s; expected at least one element along axis %d", ToString(inputs[0]), axis));
  }
  Shape shape;
  for (int d = 0; d < x.rank(); ++d) {
    if (d != axis) {
      shape.push_back(x.dim(d));
    } else if (attrs.Bool("keep_dims")) {
      shape.push_back(1);
    }
  }
  return std::vector<TensorType>{{DType::kI32, shape}};
}

absl::Status ReferenceArgmax(const OpAttrs& attrs, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  if (in[0].dtype == DType::kI32) {
    FindFirst<int32_t>(attrs, in[0], out[0], [](int32_t a, int32_t b) { return a > b; });
  } else {
    FindFirst<float>(attrs, in[0], out[0], [](float a, float b) { return a > b || (std::isnan(a) && !std::isnan(b)); });
  }
  return absl::OkStatus();
}

absl::Status ReferenceArgmin(const OpAttrs& attrs, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  if (in[0].dtype == DType::kI32) {
    FindFirst<int32_t>(attrs, in[0], out[0], [](int32_t a, int32_t b) { return a < b; });
  } else {
    FindFirst<float>(attrs, in[0], out[0], [](float a, float b) { return a < b || (std::isnan(a) && !std::isnan(b)); });
  }
  return absl::OkStatus();
}

}  // namespace rml
