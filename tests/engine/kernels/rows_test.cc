// Row kernels against f64, and at the values where careless ones lose everything.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "engine/kernels/dispatch.h"

namespace rml {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t kLengths[] = {1, 2, 3, 15, 16, 17, 64, 100, 1000, 5000};

std::vector<float> Normal(int64_t n, float mean, float deviation) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal(mean, deviation);
  std::vector<float> x(n);
  for (float& v : x) v = normal(random);
  return x;
}

TEST(RowsTest, SumOfWholeNumbersIsExact) {
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const int64_t n : {0, 1, 15, 16, 17, 1023, 1024, 1025, 100'003}) {
      std::vector<float> x(n);
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += x[i] = static_cast<float>(i * 37 % 9 - 4);
      EXPECT_EQ(kernels->sum_row(x.data(), n), static_cast<float>(sum)) << kernels->isa << " n=" << n;
      if (n == 0) continue;
      EXPECT_EQ(kernels->mean_row(x.data(), n), static_cast<float>(sum / static_cast<double>(n))) << kernels->isa;
    }
  }
}

TEST(RowsTest, LongSumsDoNotDrift) {
  const std::vector<float> x(3'000'000, 0.1f);
  for (const KernelTable* kernels : AvailableKernels()) {
    EXPECT_NEAR(kernels->sum_row(x.data(), 3'000'000) / 300000.0, 1, 1e-6) << kernels->isa;
    EXPECT_NEAR(kernels->mean_row(x.data(), 3'000'000), 0.1, 1e-7) << kernels->isa;
  }
}

TEST(RowsTest, EmptyRows) {
  for (const KernelTable* kernels : AvailableKernels()) {
    EXPECT_EQ(kernels->sum_row(nullptr, 0), 0);
    EXPECT_TRUE(std::isnan(kernels->mean_row(nullptr, 0)));
    EXPECT_EQ(kernels->prod_row(nullptr, 0), 1);
    EXPECT_EQ(kernels->max_row(nullptr, 0), -kInf);
    EXPECT_EQ(kernels->min_row(nullptr, 0), kInf);
    kernels->softmax_row(nullptr, 0, nullptr);
    kernels->attention_row(nullptr, 0, 1.0f, nullptr, false);
    kernels->log_softmax_row(nullptr, 0, nullptr);
    kernels->layer_norm_row(nullptr, 0, 1e-5f, nullptr, nullptr, nullptr);
  }
}

TEST(RowsTest, MaxMinAndProd) {
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const int64_t n : kLengths) {
      for (int64_t at = 0; at < n; at += n < 100 ? 1 : 97) {
        std::vector<float> x(n, 1.5f);
        x[at] = 7;
        EXPECT_EQ(kernels->max_row(x.data(), n), 7) << kernels->isa << " " << n << " " << at;
        x[at] = -7;
        EXPECT_EQ(kernels->min_row(x.data(), n), -7) << kernels->isa << " " << n << " " << at;
        x[at] = kNan;
        EXPECT_TRUE(std::isnan(kernels->max_row(x.data(), n)));
        EXPECT_TRUE(std::isnan(kernels->min_row(x.data(), n)));
        EXPECT_TRUE(std::isnan(kernels->sum_row(x.data(), n)));
        EXPECT_TRUE(std::isnan(kernels->prod_row(x.data(), n)));
      }
    }
    const std::vector<float> big = {1e30f, 1e30f, 1e-30f, 1e-30f, -2};
    EXPECT_NEAR(kernels->prod_row(big.data(), 5), -2, 1e-6);
  }
}

TEST(RowsTest, SoftmaxAgreesWithF64) {
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const int64_t n : kLengths) {
      const std::vector<float> x = Normal(n, 100, 5);
      std::vector<float> y(n), log_y(n);
      kernels->softmax_row(x.data(), n, y.data());
      kernels->log_softmax_row(x.data(), n, log_y.data());
      double sum = 0;
      for (const float v : x) sum += std::exp(v - 100.0);
      for (int64_t i = 0; i < n; ++i) {
        const double exact = std::exp(x[i] - 100.0) / sum;
        EXPECT_NEAR(y[i] / exact, 1, 1e-6) << kernels->isa << " n=" << n;
        EXPECT_NEAR(log_y[i], std::log(exact), 4e-6) << kernels->isa << " n=" << n;
      }
    }
  }
}

// One pass over scores, scale and mask has the bits of the three steps.
TEST(RowsTest, AttentionIsSoftmaxOfScaledMaskedScores) {
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const int64_t n : kLengths) {
      const std::vector<float> x = Normal(n, 0, 3);
      std::vector<float> mask = Normal(n, 0, 1);
      for (int64_t i = 1; i < n; i += 3) mask[i] = -kInf;
      for (const float* m : {static_cast<const float*>(nullptr), static_cast<const float*>(mask.data())}) {
        for (const bool repeats : {false, true}) {
          std::vector<float> want(n), got = x;
          kernels->mul.vs(x.data(), 0.3f, n, want.data());
          if (m != nullptr) {
            repeats ? kernels->add.vs(want.data(), *m, n, want.data())
                    : kernels->add.vv(want.data(), m, n, want.data());
          }
          kernels->softmax_row(want.data(), n, want.data());
          kernels->attention_row(got.data(), n, 0.3f, m, repeats);
          EXPECT_EQ(got, want) << kernels->isa << " n=" << n << (m == nullptr ? "" : " mask") << repeats;
        }
      }
    }
  }
}

TEST(RowsTest, AttentionOfSpecialRows) {
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const int64_t n : {1, 5, 16, 31, 40, 64}) {
      const std::vector<float> hidden(n, -kInf);
      std::vector<float> x(n, 1.0f);
      kernels->attention_row(x.data(), n, 2.0f, hidden.data(), false);
      EXPECT_EQ(x, std::vector<float>(n, 0.0f)) << kernels->isa << " n=" << n;
      for (const float bad : {kNan, kInf}) {
        for (const int64_t at : {int64_t{0}, n / 2, n - 1}) {
          x.assign(n, bad == kInf ? 1.0f : -kInf);
          x[at] = bad;
          kernels->attention_row(x.data(), n, 2.0f, nullptr, false);
          for (const float v : x)
            EXPECT_TRUE(std::isnan(v)) << kernels->isa << " n=" << n << " " << bad << " at " << at;
        }
      }
    }
  }
}

TEST(RowsTest, SoftmaxOfSpecialRows) {
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const int64_t n : {1, 5, 16, 40}) {
      std::vector<float> y(n);
      kernels->softmax_row(std::vector<float>(n, -kInf).data(), n, y.data());
      for (const float v : y) EXPECT_TRUE(std::isnan(v)) << kernels->isa;
      std::vector<float> one_masked(n, 2.0f);
      one_masked[0] = n > 1 ? -kInf : 2.0f;
      kernels->softmax_row(one_masked.data(), n, y.data());
      EXPECT_EQ(y[0], n > 1 ? 0 : 1);
      for (const float bad : {kNan, kInf}) {
        std::vector<float> x(n, 1.0f);
        x[n / 2] = bad;
        kernels->softmax_row(x.data(), n, y.data());
        for (const float v : y) EXPECT_TRUE(std::isnan(v)) << kernels->isa << " " << bad;
        kernels->log_softmax_row(x.data(), n, y.data());
        for (const float v : y) EXPECT_TRUE(std::isnan(v)) << kernels->isa << " " << bad;
      }
    }
  }
}

TEST(RowsTest, LayerNormAgreesWithF64) {
  struct {
    float mean, deviation;
  } const cases[] = {{0, 1}, {40000, 0.01f}, {1e30f, 1e29f}, {-1e-3f, 1e-5f}, {1e38f, 1e37f}};
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const auto& c : cases) {
      for (const int64_t n : kLengths) {
        const std::vector<float> x = Normal(n, c.mean, c.deviation), w = Normal(n, 1, 0.1f), b = Normal(n, 0, 1);
        std::vector<float> y(n);
        kernels->layer_norm_row(x.data(), n, 1e-5f, w.data(), b.data(), y.data());
        double mean = 0, var = 0;
        for (const float v : x) mean += v;
        mean /= static_cast<double>(n);
        for (const float v : x) var += (v - mean) * (v - mean);
        var /= static_cast<double>(n);
        for (int64_t i = 0; i < n; ++i) {
          const double exact = (x[i] - mean) / std::sqrt(var + 1e-5f) * w[i] + b[i];
          EXPECT_NEAR(y[i], exact, 2e-6 * (1 + std::abs(exact))) << kernels->isa << " n=" << n << " mean " << c.mean;
        }
      }
    }
  }
}

TEST(RowsTest, LayerNormOfConstantAndSteppedRows) {
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const float value : {0.1f, 1e30f, -7.3e-5f, 16777217.0f}) {
      const std::vector<float> x(777, value), bias = Normal(777, 0, 1);
      std::vector<float> y(777);
      kernels->layer_norm_row(x.data(), 777, 1e-5f, nullptr, bias.data(), y.data());
      for (int i = 0; i < 777; ++i) EXPECT_EQ(y[i], bias[i]) << kernels->isa << " " << value;
    }
    const std::vector<float> stepped = {40000, 40001, 40002, 40003};
    std::vector<float> y(4);
    kernels->layer_norm_row(stepped.data(), 4, 1e-5f, nullptr, nullptr, y.data());
    EXPECT_NEAR(y[0], -1.5 / std::sqrt(1.25 + 1e-5), 1e-6) << kernels->isa;
    EXPECT_NEAR(y[3], 1.5 / std::sqrt(1.25 + 1e-5), 1e-6) << kernels->isa;
  }
}

TEST(RowsTest, Transpose) {
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const int64_t rows : {0, 1, 3, 4, 5, 17}) {
      for (const int64_t cols : {0, 1, 4, 7, 33}) {
        const int64_t ldx = cols + 2, ldy = rows + 3;
        std::vector<float> x(rows * ldx + 1), y(cols * ldy + 1, -1.0f);
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
        kernels->transpose(x.data(), rows, cols, ldx, y.data(), ldy);
        for (int64_t j = 0; j < cols; ++j) {
          for (int64_t i = 0; i < ldy; ++i) {
            EXPECT_EQ(y[j * ldy + i], i < rows ? x[i * ldx + j] : -1.0f) << kernels->isa << rows << "x" << cols;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace rml
