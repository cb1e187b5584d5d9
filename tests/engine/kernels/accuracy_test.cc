// How far the transcendental kernels are from the exact values, over samples of the whole of f32. The double functions of
// libm, within 1 ulp of f64, stand for the exact values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "engine/kernels/denormals.h"
#include "engine/kernels/dispatch.h"

namespace rml {
namespace {

constexpr double kMinNormal = 0x1p-126;

// The error of `got` in units of the last place of `exact`; results that f32 would hold as subnormals count as zeros.
double UlpError(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) == std::isnan(got) ? 0 : HUGE_VAL;
  const double limit = std::numeric_limits<float>::max();
  if (std::abs(exact) < kMinNormal) return std::abs(got) <= kMinNormal ? 0 : 1;
  if (std::isinf(got)) return std::abs(exact) > limit * (1 - 0x1p-23) && (got > 0) == (exact > 0) ? 0 : HUGE_VAL;
  if (std::abs(exact) > limit) return std::abs(got) == static_cast<float>(limit) ? 1 : HUGE_VAL;
  return std::abs(got - exact) / std::ldexp(1.0, std::ilogb(exact) - 23);
}

// Every 1021st pattern of f32's bits: 4.2 million, all exponents, both signs; subnormal numbers left out.
const std::vector<float>& Everything() {
  static const std::vector<float> samples = [] {
    std::vector<float> x;
    for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 1021) {
      const float value = absl::bit_cast<float>(static_cast<uint32_t>(bits));
      if (std::isnormal(value) || value == 0) x.push_back(value);
    }
    return x;
  }();
  return samples;
}

std::vector<float> Evenly(float from, float to, int count) {
  std::vector<float> x(count);
  for (int i = 0; i < count; ++i) x[i] = static_cast<float>(from + (to - double{from}) * i / (count - 1));
  return x;
}

struct Worst {
  double error = 0;
  float x = 0, got = 0;
};

Worst WorstUlp(UnaryFn f, double (*exact)(double), const std::vector<float>& x) {
  std::vector<float> y(x.size());
  {
    const ScopedFlushDenormals flush;
    f(x.data(), static_cast<int64_t>(x.size()), y.data());
  }
  Worst worst;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = UlpError(y[i], exact(x[i]));
    if (error > worst.error) worst = {error, x[i], y[i]};
  }
  return worst;
}

double ExactSigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double ExactRsqrt(double x) { return 1 / std::sqrt(x); }
double ExactReciprocal(double x) { return 1 / x; }
double ExactGelu(double x) { return 0.5 * x * std::erfc(-x * std::sqrt(0.5)); }
double ExactGeluTanh(double x) { return x / (1 + std::exp(-2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

struct Case {
  const char* name;
  UnaryFn KernelTable::* kernel;
  double (*exact)(double);
  float dense_from, dense_to;  // where the function is interesting
};
const Case kCases[] = {
    {"exp", &KernelTable::exp, std::exp, -90, 90},
    {"log", &KernelTable::log, std::log, 0.4f, 2.5f},
    {"sin", &KernelTable::sin, std::sin, -20, 20},
    {"cos", &KernelTable::cos, std::cos, -20, 20},
    {"tanh", &KernelTable::tanh, std::tanh, -10, 10},
    {"erf", &KernelTable::erf, std::erf, -5, 5},
    {"sigmoid", &KernelTable::sigmoid, ExactSigmoid, -90, 90},
    {"rsqrt", &KernelTable::rsqrt, ExactRsqrt, 0.1f, 10},
    {"reciprocal", &KernelTable::reciprocal, ExactReciprocal, 0.1f, 10},
};

// On the active set only: same_bits_test holds the others to it.
TEST(AccuracyTest, WithinTwoUlpEverywhere) {
  const KernelTable& kernels = ActiveKernels();
  for (const Case& c : kCases) {
    const Worst everywhere = WorstUlp(kernels.*c.kernel, c.exact, Everything());
    const Worst dense = WorstUlp(kernels.*c.kernel, c.exact, Evenly(c.dense_from, c.dense_to, 2'000'000));
    const Worst worst = everywhere.error > dense.error ? everywhere : dense;
    EXPECT_LE(worst.error, 2.0) << c.name << "(" << worst.x << ") gave " << worst.got;
    RecordProperty(c.name, std::to_string(worst.error));
    std::printf("%-10s %.3f ulp at %.9g\n", c.name, worst.error, static_cast<double>(worst.x));
  }
}

TEST(AccuracyTest, GeluWithinItsRelativeBound) {
  const KernelTable& kernels = ActiveKernels();
  const ScopedFlushDenormals flush;
  for (const auto& [name, kernel, exact] :
       {std::tuple{"gelu", kernels.gelu, &ExactGelu}, std::tuple{"gelu_tanh", kernels.gelu_tanh, &ExactGeluTanh}}) {
    const std::vector<float> x = Evenly(-10, 30, 3'000'000);
    std::vector<float> y(x.size());
    kernel(x.data(), static_cast<int64_t>(x.size()), y.data());
    double worst = 0, worst_near = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::abs(x[i]) < 1e-30f) continue;
      const double error = std::abs(y[i] / exact(x[i]) - 1);
      worst = std::max(worst, error);
      if (x[i] > -1) worst_near = std::max(worst_near, error);
    }
    EXPECT_LE(worst, 1e-5) << name;
    EXPECT_LE(worst_near, 4e-7) << name;
    std::printf("%-10s %.2g relative, %.2g above -1\n", name, worst, worst_near);
  }
}

TEST(AccuracyTest, PowWithinOneUlp) {
  const KernelTable& kernels = ActiveKernels();
  std::mt19937 random(7);
  std::vector<float> a, b;
  while (a.size() < 3'000'000) {
    const float x = absl::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isnormal(x)) continue;
    // Powers of every size whose result mostly stays finite, whole ones among them.
    const double span = 130 / std::max(0.001, std::abs(std::log2(std::abs(double{x}))));
    float y = static_cast<float>(span * (random() / 2147483648.0 - 1));
    if (random() % 4 == 0) y = std::round(y);
    a.push_back(x);
    b.push_back(y);
  }
  for (int i = 0; i < 500'000; ++i) {  // near 1 with huge powers
    a.push_back(1 + static_cast<float>(static_cast<int>(random() % 2001) - 1000) * 0x1p-23f);
    b.push_back(static_cast<float>(random() % 2'000'000) * 13 - 13e6f);
  }
  std::vector<float> y(a.size());
  {
    const ScopedFlushDenormals flush;
    kernels.pow.vv(a.data(), b.data(), static_cast<int64_t>(a.size()), y.data());
  }
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double error = UlpError(y[i], std::pow(double{a[i]}, double{b[i]}));
    ASSERT_LE(error, 1.0) << "pow(" << a[i] << ", " << b[i] << ") gave " << y[i];
    worst = std::max(worst, error);
  }
  std::printf("pow        %.3f ulp\n", worst);
}

}  // namespace
}  // namespace rml
