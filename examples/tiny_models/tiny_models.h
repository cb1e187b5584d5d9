// tiny_models: a CNN, an LSTM of 12 steps and a causal transformer block in every framework on the same weights
// (make_tiny_models.py), chosen so that f32 holds every value on the way exactly:
//   cnn          multiples of 1/8
//   lstm         gates that are exactly 0, or so far out that sigmoid and tanh are 1 or -1
//   transformer  rows of variance 1 or 4, and attention to one token with all its weight
#pragma once

#include <vector>

#include "examples/exact_check/exact_check.h"

namespace rml {

// The inputs, and the outputs that NumPy gives for them.
ExactModel TinyCnn();
ExactModel TinyLstm();
ExactModel TinyTransformer();

}  // namespace rml
