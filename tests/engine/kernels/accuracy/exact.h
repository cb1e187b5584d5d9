// The functions of the op list in f64: they stand for the exact values when kernels are measured. libm's double
// functions are within a few units of 2^-53; exact_test.cc holds these against values of 40 digits.
#pragma once

#include <cmath>

namespace rml::exact {

inline double Reciprocal(double x) { return 1 / x; }
inline double Rsqrt(double x) { return 1 / std::sqrt(x); }
inline double Sign(double x) { return x == 0 || std::isnan(x) ? x : std::copysign(1.0, x); }
inline double Square(double x) { return x * x; }
inline double Cube(double x) { return x * x * x; }
inline double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
// By erfc: 1 + erf loses the tail.
inline double Gelu(double x) { return 0.5 * x * std::erfc(-x * M_SQRT1_2); }
// 0.5 x (1 + tanh(u)) = x / (1 + exp(-2 u)): 1 + tanh loses the tail.
inline double GeluTanh(double x) { return x / (1 + std::exp(-2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

}  // namespace rml::exact
