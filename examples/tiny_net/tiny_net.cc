#include "examples/tiny_net/tiny_net.h"

#include <algorithm>

namespace rml {
namespace {

constexpr int kRows = 2;

// The seeds of make_tiny_net.py.
enum Seed { kX, kWeight1, kBias1, kWeight2, kBias2 };

// y[rows, N] = x[rows, K] * transpose(weight[N, K]) + bias[N]
std::vector<float> Dense(const std::vector<float>& x, int K, int N, Seed weight, Seed bias) {
  std::vector<float> y;
  for (int row = 0; row < kRows; ++row) {
    for (int n = 0; n < N; ++n) {
      float sum = Dummy(n, bias);
      for (int k = 0; k < K; ++k) sum += x[row * K + k] * Dummy(n * K + k, weight);
      y.push_back(sum);
    }
  }
  return y;
}

}  // namespace

ExactModel TinyNet() {
  return {.suffix = "",
          .input_shape = Shape{kRows, 4},
          .input = Dummies(kRows * 4, kX),
          .expected = {-1.033203125f, -1.705078125f, 1.435546875f,  //
                       0.595703125f, -0.576171875f, 0.48828125f}};
}

std::vector<float> TinyNetReferenceForward(const std::vector<float>& x) {
  std::vector<float> hidden = Dense(x, 4, 8, kWeight1, kBias1);
  for (float& h : hidden) h = std::max(h, 0.0f);
  return Dense(hidden, 8, 3, kWeight2, kBias2);
}

}  // namespace rml
