// tiny_net: x[2, 4] -> dense 8 -> ReLU -> dense 3, in every framework on the same weights (make_tiny_net.py).
// Weights, biases and input are non-zero multiples of 1/8, so every product and partial sum is exact in f32.
#pragma once

#include <vector>

#include "examples/exact_check/exact_check.h"

namespace rml {

// The input, and the output that NumPy gives for it.
ExactModel TinyNet();

// y[2, 3] of the net in plain loops, for x[2, 4] in row-major order.
std::vector<float> TinyNetReferenceForward(const std::vector<float>& x);

}  // namespace rml
