#include "engine/ops/slice.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "engine/base/list_text.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"
#include "engine/ops/view_step.h"

namespace rml {
namespace {

// One past the last index that the slice may read, walking in the direction of the step.
int64_t SliceEnd(int64_t end, int64_t step, int64_t size) {
  if (end < 0) end += size;
  return step > 0 ? std::clamp<int64_t>(end, 0, size) : std::clamp<int64_t>(end, -1, size - 1);
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferSlice(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  Shape shape = inputs[0].shape;
  const std::vector<int64_t>& axes = attrs.Ints("axes");
  const std::vector<int64_t>& steps = attrs.Ints("steps");
  RETURN_IF_ERROR(CheckAxes(axes, shape.rank(), "axes"));
  for (const char* name : {"starts", "ends", "steps"}) {
    if (attrs.Ints(name).size() != axes.size()) {
      return absl::InvalidArgumentError(absl::StrFormat("attribute '%s' has %d numbers; expected %d, one per axis",
                                                        name, attrs.Ints(name).size(), axes.size()));
    }
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = static_cast<int>(axes[i]);
    if (steps[i] == 0 || steps[i] < -(1LL << 40) || steps[i] > (1LL << 40)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("attribute 'steps' is %s; expected no 0 and at most 2^40", ListText(steps)));
    }
    const int64_t size = shape.dim(axis);
    const int64_t start = SliceStart(attrs.Ints("starts")[i], steps[i], size);
    const int64_t end = SliceEnd(attrs.Ints("ends")[i], steps[i], size);
    const int64_t span = steps[i] > 0 ? end - start : start - end;
    const int64_t stride = steps[i] > 0 ? steps[i] : -steps[i];
    shape.set_dim(axis, span <= 0 ? 0 : (span + stride - 1) / stride);
  }
  return std::vector<TensorType>{{inputs[0].dtype, shape}};
}

absl::Status ReferenceSlice(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                            absl::Span<Tensor> outputs) {
  const std::vector<int64_t>& axes = attrs.Ints("axes");
  int32_t* y = outputs[0].data<int32_t>().data();
  ForEachIndex(outputs[0].shape(), [&](Index index) {
    for (size_t i = 0; i < axes.size(); ++i) {
      const int64_t step = attrs.Ints("steps")[i];
      const int64_t size = inputs[0].shape.dim(static_cast<int>(axes[i]));
      index[axes[i]] = SliceStart(attrs.Ints("starts")[i], step, size) + index[axes[i]] * step;
    }
    *y++ = I32(inputs[0])[OffsetOf(inputs[0].shape, index)];
  });
  return absl::OkStatus();
}

}  // namespace rml
