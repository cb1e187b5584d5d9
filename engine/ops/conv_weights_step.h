// What a convolution and a transposed one have in common as steps: x, the image, is operand 0, and the weights, operand 1.
#pragma once

#include "absl/functional/function_ref.h"
#include "engine/base/buffer.h"
#include "engine/ops/step.h"

namespace rml {

class ConvWeightsStep : public Step {
 public:
  // Images may lie anywhere if the elements of their rows are adjacent.
  bool ReadsInPlace(int index, const View& input) const override;
  bool Prepared(int index) const override { return index == 1 && prepared_; }
  int64_t prepared_bytes() const override { return weights_.size_bytes(); }

  // Holds a copy of constant weights from here on: what `pack(source, packed)` makes of them, as many floats as they have.
  // ResourceExhausted if there is no memory for it.
  absl::Status Prepare(const ConstTensorView& weights, absl::FunctionRef<void(const float*, float*)> pack);

 protected:
  // The copy, if Prepare was called.
  const float* prepared_weights() const { return static_cast<const float*>(weights_.data()); }
  bool has_prepared_weights() const { return prepared_; }

 private:
  bool prepared_ = false;
  Buffer weights_;
};

}  // namespace rml
