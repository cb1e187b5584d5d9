#include "engine/ops/cumsum.h"

#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {
namespace {

template <typename T, typename Sum>
void Accumulate(const OpAttrs& attrs, const ConstTensorView& x, Tensor& output) {
  const auto axis = static_cast<int>(attrs.Int("axis"));
  const int64_t n = x.shape.dim(axis);
  const auto* data = static_cast<const T*>(x.data);
  if (n == 0) return;
  Shape heads = x.shape;
  heads.set_dim(axis, 1);
  ForEachIndex(heads, [&](Index index) {
    Sum sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      index[axis] = attrs.Bool("reverse") ? n - 1 - i : i;
      const int64_t at = OffsetOf(x.shape, index);
      const Sum before = sum;
      sum += static_cast<Sum>(data[at]);
      output.data<T>()[at] = static_cast<T>(attrs.Bool("exclusive") ? before : sum);
    }
  });
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferCumsum(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  RETURN_IF_ERROR(CheckAxis(attrs.Int("axis"), inputs[0].shape.rank(), "axis"));
  return std::vector<TensorType>{inputs[0]};
}

absl::Status ReferenceCumsum(const OpAttrs& attrs, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  if (in[0].dtype == DType::kI32) {
    Accumulate<int32_t, uint32_t>(attrs, in[0], out[0]);
  } else {
    Accumulate<float, double>(attrs, in[0], out[0]);
  }
  return absl::OkStatus();
}

}  // namespace rml
