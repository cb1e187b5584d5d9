#include "engine/ops/reshape.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_format.h"
#include "engine/base/list_text.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"

namespace rml {
namespace {

absl::Status CopyElements(absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs) {
  const int64_t bytes = inputs[0].shape.num_bytes();
  if (bytes > 0) std::memcpy(outputs[0].raw(), inputs[0].data, bytes);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferReshape(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  const std::vector<int64_t>& target = attrs.Ints("shape");
  if (target.size() > kMaxRank || std::count(target.begin(), target.end(), -1) > 1) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'shape' is %s; expected at most %d dims and one -1", ListText(target), kMaxRank));
  }
  std::vector<int64_t> known;
  std::copy_if(target.begin(), target.end(), std::back_inserter(known), [](int64_t d) { return d != -1; });
  ASSIGN_OR_RETURN(const int64_t known_count, CheckedNumElements(known));
  const int64_t count = inputs[0].shape.num_elements();
  const bool has_free = known.size() != target.size();
  const bool fits = has_free ? known_count > 0 && count % known_count == 0 : known_count == count;
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'shape' is %s; expected %d elements as in 'x' of shape %s", ListText(target), count,
                        ToString(inputs[0].shape)));
  }
  Shape shape;
  for (int64_t d : target) shape.push_back(d == -1 ? count / known_count : d);
  return std::vector<TensorType>{{inputs[0].dtype, shape}};
}

absl::StatusOr<std::vector<TensorType>> InferSqueeze(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  const Shape& x = inputs[0].shape;
  const std::vector<int64_t>& axes = attrs.Ints("axes");
  RETURN_IF_ERROR(CheckAxes(axes, x.rank(), "axes"));
  Shape shape;
  for (int d = 0; d < x.rank(); ++d) {
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) {
      shape.push_back(x.dim(d));
    } else if (x.dim(d) != 1) {
      return absl::InvalidArgumentError(
          absl::StrFormat("attribute 'axes' has axis %d of 'x' of shape %s; expected size 1", d, ToString(x)));
    }
  }
  return std::vector<TensorType>{{inputs[0].dtype, shape}};
}

absl::StatusOr<std::vector<TensorType>> InferUnsqueeze(const OpAttrs& attrs, absl::Span<const TensorType> inputs) {
  const std::vector<int64_t>& axes = attrs.Ints("axes");
  const int64_t rank = inputs[0].shape.rank() + static_cast<int64_t>(axes.size());
  if (rank > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the result would have rank %d; expected at most %d", rank, kMaxRank));
  }
  RETURN_IF_ERROR(CheckAxes(axes, static_cast<int>(rank), "axes"));
  Shape shape;
  int from = 0;
  for (int d = 0; d < rank; ++d) {
    const bool added = std::find(axes.begin(), axes.end(), d) != axes.end();
    shape.push_back(added ? 1 : inputs[0].shape.dim(from++));
  }
  return std::vector<TensorType>{{inputs[0].dtype, shape}};
}

absl::Status ReferenceReshape(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return CopyElements(in, out);
}
absl::Status ReferenceSqueeze(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return CopyElements(in, out);
}
absl::Status ReferenceUnsqueeze(const OpAttrs&, absl::Span<const ConstTensorView> in, absl::Span<Tensor> out) {
  return CopyElements(in, out);
}

}  // namespace rml
