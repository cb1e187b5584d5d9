// The error of an f32 result.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/base/casts.h"

namespace rml {

inline constexpr double kMinNormal = 0x1p-126;
inline constexpr double kOverflow = 0x1.ffffffp127;  // from here on f32 rounds to infinity

inline bool IsSubnormal(float x) { return x != 0 && std::abs(x) < static_cast<float>(kMinNormal); }
// As the engine's mode has it: a subnormal number is a zero of its sign.
inline float Flush(float x) { return IsSubnormal(x) ? std::copysign(0.0f, x) : x; }

// `exact` rounded to f32 once, and flushed.
inline float RoundAndFlush(double exact) { return Flush(static_cast<float>(exact)); }

inline bool SameBitsOrNan(float a, float b) {
  return absl::bit_cast<uint32_t>(a) == absl::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

// The distance of neighbouring f32 numbers around |x| >= 2^-126; 2^-149 below.
inline double UlpOf(double x) {
  const uint64_t exponent = (absl::bit_cast<uint64_t>(x) >> 52) & 0x7ff;
  constexpr uint64_t kLeast = 1023 - 126;
  return absl::bit_cast<double>(((exponent < kLeast ? kLeast : exponent) - 23) << 52);
}

// |got - exact| in units of the last place of `exact`. A result below 2^-126 may be flushed to 0: no error. An infinity
// counts as 2^128, the number that f32 would have next, and is exact from kOverflow on. A NaN matches a NaN only.
inline double UlpError(float got, double exact) {
  if (std::isnan(got) || std::isnan(exact)) return std::isnan(got) == std::isnan(exact) ? 0 : HUGE_VAL;
  if (got == 0 && std::abs(exact) < kMinNormal) return 0;
  const double value = std::isinf(got) ? std::copysign(0x1p128, got) : static_cast<double>(got);
  if (std::abs(exact) < kOverflow) return std::abs(value - exact) / UlpOf(exact);
  return std::abs(value - std::copysign(0x1p128, exact)) / 0x1p104;
}

// |got / exact - 1|; results that are flushed and NaNs as above.
inline double RelativeError(float got, double exact) {
  const double ulps = UlpError(got, exact);
  if (ulps == 0 || std::isinf(exact) || ulps == HUGE_VAL) return ulps;
  return std::abs(got - exact) / std::abs(exact);
}

}  // namespace rml
