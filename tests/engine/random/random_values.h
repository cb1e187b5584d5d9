// Elements for inputs and constants.
#pragma once

#include <cstdint>

#include "engine/base/tensor.h"
#include "tests/engine/random/rng.h"

namespace rml {

// Bounds of an i32 value's elements, both inclusive.
struct IntRange {
  int64_t lo = 0, hi = 0;
  bool operator==(const IntRange&) const = default;
};

enum class FloatKind : uint8_t {
  kModerate,  // uniform in [-2, 2]
  kWhole,     // whole numbers in [-4, 4]: ties, equal elements, exact sums
  kPositive,  // uniform in [0.1, 3]
  kZeroOne,   // conditions
  kWide,      // magnitudes from 1e-30 to 1e30, both signs
  kSpecial,   // moderate, and every fourth element one of NaN, inf, -0, subnormal, the largest, the smallest normal ...
  kMask,      // 0 and -inf, with whole runs of -inf
};

enum class IntKind : uint8_t {
  kSmall,   // [-8, 8]
  kLimits,  // the ends of i32 and what is near them, powers of two, small ones
  kAny,     // all of i32
};

Tensor RandomFloats(const Shape& shape, FloatKind kind, Rng& rng);
Tensor RandomInts(const Shape& shape, IntKind kind, Rng& rng);
// Uniform in the range.
Tensor RandomInts(const Shape& shape, IntRange range, Rng& rng);

}  // namespace rml
