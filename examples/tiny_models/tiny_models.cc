#include "examples/tiny_models/tiny_models.h"

#include <bit>

namespace rml {
namespace {

constexpr int kRows = 2;
constexpr int kInputSeed = 0;

// x[2, 12, 3] of lstm.py: channel 0 is large but on the last step of row 0, channel 1 has the row's sign.
std::vector<float> LstmInput() {
  constexpr int kSteps = 12;
  constexpr int kChannels = 3;
  std::vector<float> x = Dummies(kRows * kSteps * kChannels, kInputSeed);
  for (int row = 0; row < kRows; ++row) {
    for (int step = 0; step < kSteps; ++step) {
      float* channels = &x[(row * kSteps + step) * kChannels];
      channels[0] += 4;
      channels[1] += row == 0 ? 2 : -2;
    }
  }
  x[(kSteps - 1) * kChannels] = 0.125f;
  return x;
}

// x[2, 3, 8] of transformer.py: token t is a constant plus once or twice a row of signs of its own, the (t + 1)-th of the
// eight that are orthogonal to each other.
std::vector<float> TransformerInput() {
  constexpr float kScales[] = {1, 1, 1, 1, 2, 1};
  constexpr unsigned kTokens = 6;
  std::vector<float> x;
  for (unsigned token = 0; token < kTokens; ++token) {
    for (unsigned c = 0; c < 8; ++c) {
      const float sign = std::popcount((token + 1) & c) % 2 == 0 ? 1.0f : -1.0f;
      x.push_back(kScales[token] * sign + Dummy(token, kInputSeed));
    }
  }
  return x;
}

}  // namespace

ExactModel TinyCnn() {
  return {.suffix = "_cnn",
          .input_shape = Shape{kRows, 1, 6, 6},
          .input = Dummies(kRows * 36, kInputSeed),
          .expected = {0.01171875f, 2.53125f, 1.474609375f,  //
                       0.65625f, 0.951171875f, 0.42578125f}};
}

ExactModel TinyLstm() {
  return {.suffix = "_lstm",
          .input_shape = Shape{kRows, 12, 3},
          .input = LstmInput(),
          .expected = {-0.875f, 0.0625f, -0.0625f,  //
                       0.25f, -0.875f, -0.25f}};
}

ExactModel TinyTransformer() {
  return {.suffix = "_transformer",
          .input_shape = Shape{kRows, 3, 8},
          .input = TransformerInput(),
          .expected = {
              -6.890625f,  63.765625f,  -22.390625f, -35.0625f,  34.59375f,   19.09375f, -67.921875f, -3.890625f,   //
              50.234375f,  -32.578125f, -14.6875f,   57.75f,     7.203125f,   -76.0625f, 15.703125f,  53.234375f,   //
              -4.515625f,  66.140625f,  -20.015625f, -32.6875f,  36.96875f,   21.46875f, -65.546875f, -1.515625f,   //
              -43.140625f, 64.640625f,  13.109375f,  -75.3125f,  -8.78125f,   56.59375f, -33.671875f, -42.140625f,  //
              -52.1875f,   2.328125f,   89.03125f,   -7.328125f, -58.6875f,   24.5f,     38.96875f,   -51.1875f,    //
              11.109375f,  -72.453125f, 17.0625f,    52.25f,     -28.796875f, -39.4375f, 59.578125f,  14.109375f}};
}

}  // namespace rml
