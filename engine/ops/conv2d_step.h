// Convolutions as matrix products: per image and group, weights [O, kh * kw * ic] times patches of the image.
//
// A value is a sum over kernel row, kernel column and input channel, in this order, rounded as engine/gemm/gemm.h says;
// then + bias[o], then the activation. Padding adds products with zero. The bits do not depend on the batch.
#pragma once

#include <memory>

#include "engine/ops/step.h"

namespace rml {

// What a fusion adds to a convolution without a bias input: y = activation(conv(x, w) + bias[o]). nullptr means none.
struct ConvEpilogue {
  const float* bias = nullptr;  // [O], a constant of the graph
  UnaryFn activation = nullptr;
};

// The step's operands are the node's inputs; constant weights are prepared once (ResourceExhausted if there is
// no memory for them).
absl::StatusOr<std::unique_ptr<Step>> MakeConv2dStep(const CompileContext& context, const ConvEpilogue& epilogue);

}  // namespace rml
