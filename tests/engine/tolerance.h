// How far a computed value may lie from the exact one: the only place where tests say so.
#pragma once

#include <cmath>
#include <cstdint>

namespace rml {

// Half a unit in the last place of 1: the relative error of one rounding to f32.
inline constexpr double kUnitRoundoff = 0x1p-24;

// |actual - expected| <= absolute + relative * |expected|. NaN matches NaN, an infinity itself; subnormal numbers are
// zeros, as the engine may or may not flush one that it only moves.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

// Equal values; -0 equals 0.
inline constexpr Tolerance kExact{};

// A few roundings of the result itself.
inline Tolerance Ulps(double ulps) { return {0, 2 * ulps * kUnitRoundoff}; }

// A sum of `terms` products in f32. `norm` is the root of the sum of their squares: partial sums of terms of random sign
// are about as large, and their `terms` roundings add up like a random walk. The factor is far out in its tail.
inline Tolerance SumTolerance(int64_t terms, double norm) {
  return {8 * kUnitRoundoff * std::sqrt(static_cast<double>(terms) + 1) * norm, 2 * kUnitRoundoff};
}

// The norm for factors drawn evenly from [-1, 1].
inline double UniformNorm(int64_t terms) { return std::sqrt(static_cast<double>(terms)); }

inline bool WithinTolerance(float actual, float expected, const Tolerance& tolerance) {
  if (std::isnan(expected)) return std::isnan(actual);
  const auto counts_as_zero = [](float x) { return x == 0 || std::fpclassify(x) == FP_SUBNORMAL; };
  if (actual == expected || (counts_as_zero(actual) && counts_as_zero(expected))) return true;
  if (!std::isfinite(actual) || !std::isfinite(expected)) return false;
  const double difference = std::abs(static_cast<double>(actual) - expected);
  return difference <= tolerance.absolute + tolerance.relative * std::abs(static_cast<double>(expected));
}

}  // namespace rml
