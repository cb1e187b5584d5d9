#include "engine/ops/conv_weights_step.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/status_macros.h"

namespace rml {

bool ConvWeightsStep::ReadsInPlace(int index, const View& input) const {
  return input.contiguous() || (index == 0 && (input.strides[3] == 1 || input.shape.dim(3) == 1));
}

absl::Status ConvWeightsStep::Prepare(const ConstTensorView& weights,
                                      absl::FunctionRef<void(const float*, float*)> pack) {
  absl::StatusOr<Buffer> buffer = Buffer::Allocate(weights.shape.num_bytes());
  if (!buffer.ok()) return Annotate(buffer.status(), absl::StrCat("packing weights of ", ToString(weights.shape)));
  weights_ = *std::move(buffer);
  prepared_ = true;
  pack(static_cast<const float*>(weights.data), static_cast<float*>(weights_.data()));
  return absl::OkStatus();
}

}  // namespace rml
