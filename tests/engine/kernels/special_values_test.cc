// Kernels at NaNs, infinities, zeros and the ends of their ranges, on vector bodies and tails alike.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/kernels/denormals.h"
#include "engine/kernels/dispatch.h"

namespace rml {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

bool Same(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

// f(x) as computed at every position of an array of 19.
void ExpectUnary(const char* name, UnaryFn KernelTable::* kernel, float x, float expected) {
  const ScopedFlushDenormals flush;
  for (const KernelTable* kernels : AvailableKernels()) {
    const std::vector<float> in(19, x);
    std::vector<float> out(19);
    (kernels->*kernel)(in.data(), 19, out.data());
    for (int i = 0; i < 19; ++i) {
      EXPECT_TRUE(Same(out[i], expected)) << kernels->isa << " " << name << "(" << x << ")[" << i << "] = " << out[i];
    }
  }
}

void ExpectBinary(const char* name, BinaryFns KernelTable::* kernel, float a, float b, float expected) {
  const ScopedFlushDenormals flush;
  for (const KernelTable* kernels : AvailableKernels()) {
    const std::vector<float> left(19, a), right(19, b);
    std::vector<float> out(19);
    (kernels->*kernel).vv(left.data(), right.data(), 19, out.data());
    for (int i = 0; i < 19; ++i) {
      EXPECT_TRUE(Same(out[i], expected)) << kernels->isa << " " << name << "(" << a << ", " << b << ") = " << out[i];
    }
  }
}

TEST(SpecialValuesTest, Unary) {
  struct {
    const char* name;
    UnaryFn KernelTable::* kernel;
    float x, y;
  } const cases[] = {
      {"relu", &KernelTable::relu, kNan, kNan},
      {"relu", &KernelTable::relu, -kInf, 0},
      {"relu", &KernelTable::relu, kInf, kInf},
      {"relu", &KernelTable::relu, -3, 0},
      {"neg", &KernelTable::neg, 0, -0.0f},
      {"abs", &KernelTable::abs, -0.0f, 0},
      {"sqrt", &KernelTable::sqrt, -1, kNan},
      {"sqrt", &KernelTable::sqrt, -0.0f, -0.0f},
      {"rsqrt", &KernelTable::rsqrt, 0, kInf},
      {"rsqrt", &KernelTable::rsqrt, kInf, 0},
      {"reciprocal", &KernelTable::reciprocal, -0.0f, -kInf},
      {"exp", &KernelTable::exp, kInf, kInf},
      {"exp", &KernelTable::exp, -kInf, 0},
      {"exp", &KernelTable::exp, 0, 1},
      {"exp", &KernelTable::exp, 89, kInf},
      {"exp", &KernelTable::exp, -88, 0},
      {"exp", &KernelTable::exp, kNan, kNan},
      {"log", &KernelTable::log, 1, 0},
      {"log", &KernelTable::log, 0, -kInf},
      {"log", &KernelTable::log, -0.0f, -kInf},
      {"log", &KernelTable::log, -1, kNan},
      {"log", &KernelTable::log, kInf, kInf},
      {"log", &KernelTable::log, kNan, kNan},
      {"log", &KernelTable::log, -kInf, kNan},
      {"log", &KernelTable::log, 1e-40f, -kInf},
      {"sin", &KernelTable::sin, -0.0f, -0.0f},
      {"sin", &KernelTable::sin, kInf, kNan},
      {"sin", &KernelTable::sin, kNan, kNan},
      {"cos", &KernelTable::cos, -0.0f, 1},
      {"cos", &KernelTable::cos, -kInf, kNan},
      {"tanh", &KernelTable::tanh, -0.0f, -0.0f},
      {"tanh", &KernelTable::tanh, kInf, 1},
      {"tanh", &KernelTable::tanh, -10, -1},
      {"tanh", &KernelTable::tanh, 1e30f, 1},
      {"tanh", &KernelTable::tanh, kNan, kNan},
      {"erf", &KernelTable::erf, kInf, 1},
      {"erf", &KernelTable::erf, -5, -1},
      {"erf", &KernelTable::erf, -1e30f, -1},
      {"erf", &KernelTable::erf, -0.0f, -0.0f},
      {"erf", &KernelTable::erf, kNan, kNan},
      {"sigmoid", &KernelTable::sigmoid, -kInf, 0},
      {"sigmoid", &KernelTable::sigmoid, kInf, 1},
      {"sigmoid", &KernelTable::sigmoid, -200, 0},
      {"sigmoid", &KernelTable::sigmoid, 0, 0.5},
      {"sigmoid", &KernelTable::sigmoid, kNan, kNan},
      {"gelu", &KernelTable::gelu, kInf, kInf},
      {"gelu", &KernelTable::gelu, kNan, kNan},
      {"gelu", &KernelTable::gelu, 0, 0},
      {"gelu", &KernelTable::gelu, -1e20f, -0.0f},
      {"gelu", &KernelTable::gelu, 1e20f, 1e20f},
      {"gelu_tanh", &KernelTable::gelu_tanh, kInf, kInf},
      {"gelu_tanh", &KernelTable::gelu_tanh, -1e20f, -0.0f},
      {"gelu_tanh", &KernelTable::gelu_tanh, 1e20f, 1e20f},
      {"gelu_tanh", &KernelTable::gelu_tanh, kNan, kNan},
      {"floor", &KernelTable::floor, -0.0f, -0.0f},
      {"floor", &KernelTable::floor, -1e-40f, -0.0f},
      {"floor", &KernelTable::floor, 0.99f, 0},
      {"floor", &KernelTable::floor, kNan, kNan},
      {"ceil", &KernelTable::ceil, -0.99f, -0.0f},
      {"ceil", &KernelTable::ceil, 1e-40f, 0},
      {"ceil", &KernelTable::ceil, -kInf, -kInf},
      {"round_even", &KernelTable::round_even, -0.5f, -0.0f},
      {"round_even", &KernelTable::round_even, -0.0f, -0.0f},
      {"round_even", &KernelTable::round_even, kNan, kNan},
      {"sign", &KernelTable::sign, -0.0f, -0.0f},
      {"sign", &KernelTable::sign, 1e-40f, 0},
      {"sign", &KernelTable::sign, kNan, kNan},
      {"expm1", &KernelTable::expm1, -0.0f, -0.0f},
      {"expm1", &KernelTable::expm1, 2e-38f, 2e-38f},
      {"expm1", &KernelTable::expm1, -kInf, -1},
      {"log1p", &KernelTable::log1p, -0.0f, -0.0f},
      {"log1p", &KernelTable::log1p, -2e-38f, -2e-38f},
      {"log1p", &KernelTable::log1p, -1, -kInf},
      {"log1p", &KernelTable::log1p, -kInf, kNan},
      {"erfc", &KernelTable::erfc, kInf, 0},
      {"erfc", &KernelTable::erfc, -kInf, 2},
      {"erfc", &KernelTable::erfc, -0.0f, 1},
      {"square", &KernelTable::square, -3, 9},
      {"cube", &KernelTable::cube, -3, -27},
  };
  for (const auto& c : cases) ExpectUnary(c.name, c.kernel, c.x, c.y);
}

TEST(SpecialValuesTest, MaximumAndMinimumPropagateNan) {
  for (const auto kernel : {&KernelTable::maximum, &KernelTable::minimum}) {
    ExpectBinary("max/min", kernel, kNan, 1, kNan);
    ExpectBinary("max/min", kernel, 1, kNan, kNan);
    ExpectBinary("max/min", kernel, kNan, -kInf, kNan);
  }
  ExpectBinary("maximum", &KernelTable::maximum, -kInf, 2, 2);
  ExpectBinary("minimum", &KernelTable::minimum, kInf, 2, 2);
}

TEST(SpecialValuesTest, ComparisonsWithNan) {
  for (const auto kernel : {&KernelTable::eq, &KernelTable::lt, &KernelTable::le, &KernelTable::gt, &KernelTable::ge}) {
    ExpectBinary("compare", kernel, kNan, 1, 0);
    ExpectBinary("compare", kernel, 1, kNan, 0);
  }
  ExpectBinary("ne", &KernelTable::ne, kNan, kNan, 1);
  ExpectBinary("eq", &KernelTable::eq, 0, -0.0f, 1);
  ExpectBinary("le", &KernelTable::le, 1, 1, 1);
  ExpectBinary("gt", &KernelTable::gt, 2, 1, 1);
}

TEST(SpecialValuesTest, PowFollowsIeee) {
  const float values[] = {0.0f, -0.0f, 1,    -1,      2,        -2,       3,     -3,     0.5f,  -0.5f,  1.5f,
                          kInf, -kInf, kNan, 8388609, -8388609, 16777216, 1e30f, -1e30f, 0.25f, -0.25f, 4194304.5f};
  for (const float x : values) {
    for (const float y : values) {
      const float exact = static_cast<float>(std::pow(double{x}, double{y}));
      const float expected = std::abs(exact) < std::numeric_limits<float>::min() ? std::copysign(0.0f, exact) : exact;
      ExpectBinary("pow", &KernelTable::pow, x, y, expected);
    }
  }
}

TEST(SpecialValuesTest, RemainderIsFmod) {
  const float values[] = {0.0f,  -0.0f,  1,       -1,    2.5f,   -3,     0.1f,     kInf,      -kInf,   kNan,
                          1e38f, -1e38f, 3.4e38f, 1e30f, -7e12f, 1e-40f, 1.2e-38f, -1.7e-38f, 16777215};
  for (const float a : values) {
    for (const float b : values) {
      const float flushed = std::fabs(b) < std::numeric_limits<float>::min() ? 0 : b;
      const float exact =
          std::fmod(std::fabs(a) < std::numeric_limits<float>::min() ? std::copysign(0.0f, a) : a, flushed);
      const float expected = std::fabs(exact) < std::numeric_limits<float>::min() ? std::copysign(0.0f, exact) : exact;
      ExpectBinary("remainder", &KernelTable::remainder, a, b, expected);
    }
  }
}

// A number beside one with a large quotient comes out as it does alone.
TEST(SpecialValuesTest, LargeQuotientsLeaveTheirNeighboursAlone) {
  const ScopedFlushDenormals flush;
  const float a[] = {1e38f, 5.5f, -7, 1e14f, 2.8e14f, -2.9e14f}, b[] = {2e-38f, 0.1f, 2, 1.0f, 1.1f, 0.3f};
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const auto fn : {&KernelTable::remainder, &KernelTable::floor_div}) {
      float together[6], alone;
      (kernels->*fn).vv(a, b, 6, together);
      for (int i = 0; i < 6; ++i) {
        (kernels->*fn).vv(a + i, b + i, 1, &alone);
        EXPECT_EQ(together[i], alone) << kernels->isa << " " << i;
      }
    }
  }
}

TEST(SpecialValuesTest, FloorDiv) {
  ExpectBinary("floor_div", &KernelTable::floor_div, -0.0f, 2, -0.0f);
  ExpectBinary("floor_div", &KernelTable::floor_div, 0, -2, -0.0f);
  ExpectBinary("floor_div", &KernelTable::floor_div, -1e-30f, 1e30f, -1);
  ExpectBinary("floor_div", &KernelTable::floor_div, 3, -kInf, -1);
  ExpectBinary("floor_div", &KernelTable::floor_div, -1e-40f, 2, -0.0f);
  ExpectBinary("floor_div", &KernelTable::floor_div, 16777215, -2, -8388608);
  ExpectBinary("floor_div", &KernelTable::floor_div, 1, -0.0f, -kInf);
}

TEST(SpecialValuesTest, Clamp) {
  struct {
    float x, lo, hi, y;
  } const cases[] = {{1, 0, 2, 1},
                     {-1, 0, 2, 0},
                     {3, 0, 2, 2},
                     {kNan, 0, 2, kNan},
                     {5, 4, 1, 1},
                     {kNan, -kInf, kInf, kNan},
                     {-kInf, -kInf, 3, -kInf},
                     {kInf, 0, kInf, kInf},
                     {0, 4, 1, 1}};
  for (const auto& c : cases) {
    for (const KernelTable* kernels : AvailableKernels()) {
      const std::vector<float> x(19, c.x);
      std::vector<float> y(19);
      kernels->clamp(x.data(), 19, c.lo, c.hi, y.data());
      for (const float v : y) EXPECT_TRUE(Same(v, c.y)) << kernels->isa << " clamp(" << c.x << ") = " << v;
    }
  }
}

TEST(SpecialValuesTest, WhereCopiesBits) {
  const std::vector<float> c = {0, 1, -0.0f, kNan, -2, 1e-40f};
  for (const KernelTable* kernels : AvailableKernels()) {
    const std::vector<float> a(6, 1e-41f), b(6, kNan);
    std::vector<float> y(6);
    kernels->where.vv(c.data(), a.data(), b.data(), 6, y.data());
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[2])) << kernels->isa;
    EXPECT_TRUE(y[1] == 1e-41f && y[3] == 1e-41f && y[4] == 1e-41f) << kernels->isa;
    kernels->where.ss(c.data(), 3, 4, 6, y.data());
    EXPECT_EQ(y[4], 3);
    EXPECT_EQ(y[2], 4);
    kernels->where.vs(c.data(), a.data(), 4, 6, y.data());
    EXPECT_EQ(y[0], 4);
    kernels->where.sv(c.data(), 3, b.data(), 6, y.data());
    EXPECT_EQ(y[1], 3);
    EXPECT_TRUE(std::isnan(y[0]));
  }
}

}  // namespace
}  // namespace rml
