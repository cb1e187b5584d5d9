// Every instruction set gives the bits of the portable kernels, for every length and for every kind of number.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "engine/kernels/denormals.h"
#include "engine/kernels/dispatch.h"

namespace rml {
namespace {

constexpr int64_t kLengths[] = {0,  1,  2,  7,   8,    9,    15,   16,   17,   31,   33,
                                63, 64, 65, 127, 1000, 1023, 1024, 1025, 2500, 40000};
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kOdd[] = {0.0f,  -0.0f,  1e-40f,  -1e-40f,  1.0f, -1.0f, 3.0f, -2.0f,      0.5f,        -0.5f,
                          1e30f, -1e30f, 3.4e38f, 1.2e-38f, kInf, -kInf, kNan, 8388608.0f, 16777215.0f, -88.0f};

enum class Kind { kModerate, kBits };

// Moderate numbers, or any bits at all; one in eight an odd value in both.
std::vector<float> Draw(uint32_t seed, int64_t n, Kind kind) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> x(n);
  for (float& v : x) {
    v = kind == Kind::kModerate ? normal(random) : absl::bit_cast<float>(static_cast<uint32_t>(random()));
    if (random() % 8 == 0) v = kOdd[random() % std::size(kOdd)];
  }
  return x;
}

// Calls run(kernels, n, kind, y) on every set and compares what they wrote, and that nothing was written past n.
void ExpectSameBits(const std::string& name,
                    const std::function<void(const KernelTable&, int64_t, Kind, float*)>& run) {
  const ScopedFlushDenormals flush;
  for (const Kind kind : {Kind::kModerate, Kind::kBits}) {
    for (const int64_t n : kLengths) {
      std::vector<float> expected;
      for (const KernelTable* kernels : AvailableKernels()) {
        std::vector<float> y(n + 17, -7.0f);
        run(*kernels, n, kind, y.data());
        for (int64_t i = n; i < n + 17; ++i) ASSERT_EQ(y[i], -7.0f) << name << " wrote past " << n;
        if (expected.empty()) expected = y;
        for (int64_t i = 0; i < n; ++i) {
          if (std::isnan(y[i]) && std::isnan(expected[i])) continue;
          ASSERT_EQ(absl::bit_cast<uint32_t>(y[i]), absl::bit_cast<uint32_t>(expected[i]))
              << name << " " << kernels->isa << " element " << i << " of " << n << ": " << y[i] << " and "
              << expected[i];
        }
      }
    }
  }
}

struct Unary {
  const char* name;
  UnaryFn KernelTable::* kernel;
};
const Unary kUnary[] = {
    {"neg", &KernelTable::neg},
    {"abs", &KernelTable::abs},
    {"relu", &KernelTable::relu},
    {"sqrt", &KernelTable::sqrt},
    {"rsqrt", &KernelTable::rsqrt},
    {"reciprocal", &KernelTable::reciprocal},
    {"square", &KernelTable::square},
    {"cube", &KernelTable::cube},
    {"floor", &KernelTable::floor},
    {"ceil", &KernelTable::ceil},
    {"round_even", &KernelTable::round_even},
    {"sign", &KernelTable::sign},
    {"expm1", &KernelTable::expm1},
    {"log1p", &KernelTable::log1p},
    {"erfc", &KernelTable::erfc},
    {"exp", &KernelTable::exp},
    {"log", &KernelTable::log},
    {"sin", &KernelTable::sin},
    {"cos", &KernelTable::cos},
    {"tanh", &KernelTable::tanh},
    {"erf", &KernelTable::erf},
    {"sigmoid", &KernelTable::sigmoid},
    {"gelu", &KernelTable::gelu},
    {"gelu_tanh", &KernelTable::gelu_tanh},
    {"softmax", &KernelTable::softmax_row},
    {"log_softmax", &KernelTable::log_softmax_row},
};

TEST(SameBitsTest, Unary) {
  for (const Unary& u : kUnary) {
    ExpectSameBits(u.name, [&](const KernelTable& kernels, int64_t n, Kind kind, float* y) {
      const std::vector<float> x = Draw(1, n, kind);
      (kernels.*u.kernel)(x.data(), n, y);
    });
  }
}

// A row free of NaNs and infinities, which would make every other difference disappear.
TEST(SameBitsTest, FiniteRows) {
  for (const Unary& u :
       {Unary{"softmax", &KernelTable::softmax_row}, Unary{"log_softmax", &KernelTable::log_softmax_row}}) {
    ExpectSameBits(u.name, [&](const KernelTable& kernels, int64_t n, Kind, float* y) {
      std::vector<float> x = Draw(2, n, Kind::kModerate);
      for (float& v : x) v = std::isfinite(v) ? std::fmod(v, 100.0f) : 1.0f;
      (kernels.*u.kernel)(x.data(), n, y);
    });
  }
  ExpectSameBits("attention", [&](const KernelTable& kernels, int64_t n, Kind, float* y) {
    const std::vector<float> x = Draw(2, n, Kind::kModerate), mask = Draw(3, n, Kind::kModerate);
    for (int64_t i = 0; i < n; ++i) y[i] = std::isfinite(x[i]) ? std::fmod(x[i], 100.0f) : 1.0f;
    kernels.attention_row(y, n, 0.125f, n > 0 && std::isfinite(mask[0]) ? mask.data() : nullptr, true);
  });
}

struct Binary {
  const char* name;
  BinaryFns KernelTable::* kernel;
};
const Binary kBinary[] = {
    {"add", &KernelTable::add},
    {"sub", &KernelTable::sub},
    {"mul", &KernelTable::mul},
    {"div", &KernelTable::div},
    {"maximum", &KernelTable::maximum},
    {"minimum", &KernelTable::minimum},
    {"pow", &KernelTable::pow},
    {"eq", &KernelTable::eq},
    {"ne", &KernelTable::ne},
    {"lt", &KernelTable::lt},
    {"le", &KernelTable::le},
    {"gt", &KernelTable::gt},
    {"ge", &KernelTable::ge},
    {"remainder", &KernelTable::remainder},
    {"floor_div", &KernelTable::floor_div},
};

TEST(SameBitsTest, Binary) {
  for (const Binary& b : kBinary) {
    ExpectSameBits(b.name, [&](const KernelTable& kernels, int64_t n, Kind kind, float* y) {
      const std::vector<float> left = Draw(3, n, kind), right = Draw(4, n, kind);
      (kernels.*b.kernel).vv(left.data(), right.data(), n, y);
      std::vector<float> scalar(n + 1), scalar_right(n + 1);
      for (const float s : kOdd) {  // the scalar forms equal the array form on a filled array
        if (n > 64) break;
        const std::vector<float> filled(n, s);
        (kernels.*b.kernel).vv(left.data(), filled.data(), n, scalar_right.data());
        (kernels.*b.kernel).vs(left.data(), s, n, scalar.data());
        for (int64_t i = 0; i < n; ++i) {
          EXPECT_TRUE(scalar[i] == scalar_right[i] || std::isnan(scalar[i])) << b.name << " vs " << left[i] << " " << s;
        }
        (kernels.*b.kernel).vv(filled.data(), left.data(), n, scalar_right.data());
        (kernels.*b.kernel).sv(s, left.data(), n, scalar.data());
        for (int64_t i = 0; i < n; ++i) {
          EXPECT_TRUE(scalar[i] == scalar_right[i] || std::isnan(scalar[i])) << b.name << " sv " << s << " " << left[i];
        }
      }
    });
  }
}

TEST(SameBitsTest, WhereClampLayerNorm) {
  ExpectSameBits("where", [](const KernelTable& kernels, int64_t n, Kind kind, float* y) {
    const std::vector<float> c = Draw(5, n, kind), a = Draw(6, n, kind), b = Draw(7, n, kind);
    kernels.where.vv(c.data(), a.data(), b.data(), n, y);
  });
  ExpectSameBits("clamp", [](const KernelTable& kernels, int64_t n, Kind kind, float* y) {
    const std::vector<float> x = Draw(8, n, kind);
    kernels.clamp(x.data(), n, -0.5f, 2.5f, y);
  });
  for (const bool affine : {false, true}) {
    ExpectSameBits("layer_norm", [&](const KernelTable& kernels, int64_t n, Kind, float* y) {
      std::vector<float> x = Draw(9, n, Kind::kModerate);
      for (float& v : x) v = std::isfinite(v) ? std::fmod(v, 1000.0f) : 2.0f;
      const std::vector<float> w = Draw(10, n, Kind::kModerate), b = Draw(11, n, Kind::kModerate);
      kernels.layer_norm_row(x.data(), n, 1e-5f, affine ? w.data() : nullptr, affine ? b.data() : nullptr, y);
    });
  }
}

TEST(SameBitsTest, Reductions) {
  const ScopedFlushDenormals flush;
  for (const auto reduction : {&KernelTable::sum_row, &KernelTable::mean_row, &KernelTable::prod_row,
                               &KernelTable::max_row, &KernelTable::min_row}) {
    for (const int64_t n : kLengths) {
      for (uint32_t seed = 0; seed < 4; ++seed) {
        std::vector<float> x = Draw(seed, n, Kind::kModerate);
        for (float& v : x) v = seed < 3 && !std::isfinite(v) ? 1.0f : seed < 3 ? std::fmod(v, 1000.0f) : v;
        const float expected = (AvailableKernels().front()->*reduction)(x.data(), n);
        for (const KernelTable* kernels : AvailableKernels()) {
          const float got = (kernels->*reduction)(x.data(), n);
          if (std::isnan(got) && std::isnan(expected)) continue;
          EXPECT_EQ(absl::bit_cast<uint32_t>(got), absl::bit_cast<uint32_t>(expected)) << kernels->isa << " n=" << n;
        }
      }
    }
  }
}

TEST(SameBitsTest, InPlace) {
  const ScopedFlushDenormals flush;
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const Unary& u : kUnary) {
      std::vector<float> x = Draw(12, 1029, Kind::kModerate);
      for (float& v : x) v = std::isfinite(v) ? v : 0.25f;
      std::vector<float> y(x.size());
      (kernels->*u.kernel)(x.data(), 1029, y.data());
      (kernels->*u.kernel)(x.data(), 1029, x.data());
      for (size_t i = 0; i < x.size(); ++i) ASSERT_TRUE(x[i] == y[i] || std::isnan(x[i])) << u.name << " " << i;
    }
  }
}

}  // namespace
}  // namespace rml
