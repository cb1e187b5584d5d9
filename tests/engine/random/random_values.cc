#include "tests/engine/random/random_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace rml {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
constexpr int32_t kHighest = std::numeric_limits<int32_t>::max();

float Special(Rng& rng) {
  static const auto* values = new std::vector<float>{
      std::numeric_limits<float>::quiet_NaN(),
      kInfinity,
      -kInfinity,
      0.0f,
      -0.0f,
      1e-40f,   // subnormal
      -1e-45f,  // the smallest subnormal
      3.4e38f,
      -3.4e38f,
      0x1p-126f,  // the smallest normal
      -1.5e-38f,
      1e30f,
      -1e-30f,
      1.0f,
      -1.0f,
      88.8f,    // where exp overflows
      -103.5f,  // where exp is 0
      16777217.0f,
      2147483648.0f,
      -2147483904.0f,
      0.5f,
      1048576.25f,
  };
  return rng.Pick(*values);
}

float Moderate(Rng& rng) { return static_cast<float>(4 * rng.Unit() - 2); }

float Wide(Rng& rng) {
  // A power of two by ldexp, not pow: exact on every machine.
  const double magnitude = std::ldexp(1 + rng.Unit(), static_cast<int>(rng.Between(-100, 99)));
  return static_cast<float>(rng.Chance(0.5) ? magnitude : -magnitude);
}

float FloatOf(FloatKind kind, Rng& rng) {
  switch (kind) {
    case FloatKind::kModerate:
      return Moderate(rng);
    case FloatKind::kWhole:
      return static_cast<float>(rng.Between(-4, 4));
    case FloatKind::kPositive:
      return static_cast<float>(0.1 + 2.9 * rng.Unit());
    case FloatKind::kZeroOne:
      return rng.Chance(0.5) ? 1.0f : 0.0f;
    case FloatKind::kWide:
      return Wide(rng);
    case FloatKind::kSpecial:
      return rng.Chance(0.25) ? Special(rng) : Moderate(rng);
    case FloatKind::kMask:
      break;
  }
  return rng.Chance(0.5) ? 0.0f : -kInfinity;
}

}  // namespace

Tensor RandomFloats(const Shape& shape, FloatKind kind, Rng& rng) {
  Tensor tensor(DType::kF32, shape);
  const int64_t row = shape.rank() == 0 ? 1 : std::max<int64_t>(shape.dim(-1), 1);
  int64_t hidden = 0;  // elements left of a run of -inf
  for (float& element : tensor.data<float>()) {
    element = FloatOf(kind, rng);
    if (kind != FloatKind::kMask) continue;
    if (hidden == 0 && rng.Chance(0.05)) hidden = rng.Between(1, 2 * row);
    if (hidden > 0) {
      element = -kInfinity;
      --hidden;
    }
  }
  return tensor;
}

Tensor RandomInts(const Shape& shape, IntKind kind, Rng& rng) {
  static const auto* limits = new std::vector<int32_t>{
      kLowest, kLowest + 1, kHighest, kHighest - 1, -1, 0, 1, 2, -3, 65536, -65536, 1 << 30, 46341, 16777217};
  Tensor tensor(DType::kI32, shape);
  for (int32_t& element : tensor.data<int32_t>()) {
    element = kind == IntKind::kSmall    ? static_cast<int32_t>(rng.Between(-8, 8))
              : kind == IntKind::kLimits ? rng.Pick(*limits)
                                         : static_cast<int32_t>(rng.Next());
  }
  return tensor;
}

Tensor RandomInts(const Shape& shape, IntRange range, Rng& rng) {
  Tensor tensor(DType::kI32, shape);
  for (int32_t& element : tensor.data<int32_t>()) element = static_cast<int32_t>(rng.Between(range.lo, range.hi));
  return tensor;
}

}  // namespace rml
