// Number attributes as kernels take them.
#pragma once

#include <cmath>

namespace rml {

// Rounded to f32; subnormal numbers are zeros, as in all constants of the engine.
inline float FloatAttr(double value) {
  const auto rounded = static_cast<float>(value);
  return std::fpclassify(rounded) == FP_SUBNORMAL ? std::copysign(0.0f, rounded) : rounded;
}

}  // namespace rml
