#include "tests/engine/kernels/accuracy/rows.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/kernels/denormals.h"
#include "engine/kernels/dispatch.h"
#include "tests/engine/kernels/accuracy/ulp.h"

namespace rml {
namespace {

constexpr double kUnit = 0x1p-24;

// Rows of every length near a multiple of the lanes, of models' sizes and of a vocabulary; of small and large spread,
// around 0 and far from it.
const std::vector<std::vector<float>>& Rows() {
  static const std::vector<std::vector<float>> rows = [] {
    std::mt19937 random(5);
    std::vector<std::vector<float>> made;
    for (const int n : {1, 2, 3, 7, 15, 16, 17, 31, 64, 100, 197, 768, 1023, 1024, 1025, 4096, 50257}) {
      for (const float spread : {0.01f, 1.0f, 5.0f, 30.0f, 1000.0f}) {
        for (const float centre : {0.0f, 3.0f, -1000.0f}) {
          std::normal_distribution<float> normal(centre, spread);
          std::vector<float> row(n);
          for (float& x : row) x = normal(random);
          made.push_back(std::move(row));
        }
      }
    }
    return made;
  }();
  return rows;
}

double Worst(const std::function<double(absl::Span<const float>)>& of_row) {
  const ScopedFlushDenormals flush;
  double worst = 0;
  for (const std::vector<float>& row : Rows()) worst = std::fmax(worst, of_row(row));
  return worst;
}

struct Shifted {
  double max, sum;  // sum of exp(x - max)
};
Shifted ShiftedSum(absl::Span<const float> x) {
  const double max = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const float v : x) sum += std::exp(v - max);
  return {max, sum};
}

double MeasureSoftmax(const KernelTable& kernels) {
  return Worst([&](absl::Span<const float> x) {
    std::vector<float> y(x.size());
    kernels.softmax_row(x.data(), static_cast<int64_t>(x.size()), y.data());
    const auto [max, sum] = ShiftedSum(x);
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = std::exp(x[i] - max) / sum;
      if (exact < 2 * kMinNormal * static_cast<double>(x.size())) continue;  // flushed before or after the division
      worst = std::fmax(worst, std::abs(y[i] - exact) / (kUnit * exact * (2 + max - x[i])));
    }
    return worst;
  });
}

double MeasureLogSoftmax(const KernelTable& kernels) {
  return Worst([&](absl::Span<const float> x) {
    std::vector<float> y(x.size());
    kernels.log_softmax_row(x.data(), static_cast<int64_t>(x.size()), y.data());
    const auto [max, sum] = ShiftedSum(x);
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = (x[i] - max) - std::log(sum);
      worst = std::fmax(worst, std::abs(y[i] - exact) / (kUnit * (1 + std::abs(exact))));
    }
    return worst;
  });
}

double MeasureLayerNorm(const KernelTable& kernels) {
  return Worst([&](absl::Span<const float> x) {
    const auto n = static_cast<double>(x.size());
    std::mt19937 random(6);
    std::normal_distribution<float> normal(0, 1);
    std::vector<float> weight(x.size()), bias(x.size()), y(x.size());
    for (float& w : weight) w = 1 + normal(random);
    for (float& b : bias) b = normal(random);
    const float eps = 1e-5f;
    kernels.layer_norm_row(x.data(), static_cast<int64_t>(x.size()), eps, weight.data(), bias.data(), y.data());
    long double mean = 0, variance = 0;
    for (const float v : x) mean += v;
    mean /= n;
    for (const float v : x) variance += (v - mean) * (v - mean);
    const double deviation = std::sqrt(static_cast<double>(variance / n) + eps);
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double scaled = static_cast<double>(x[i] - mean) / deviation * weight[i];
      const double exact = scaled + bias[i];
      worst = std::fmax(worst, std::abs(y[i] - exact) / (kUnit * (std::abs(scaled) + std::abs(bias[i]))));
    }
    return worst;
  });
}

struct Sums {
  long double sum = 0, of_magnitudes = 0;
};
Sums ExactSums(absl::Span<const float> x) {
  Sums sums;
  for (const float v : x) {
    sums.sum += v;
    sums.of_magnitudes += std::abs(v);
  }
  return sums;
}

double MeasureSum(const KernelTable& kernels) {
  return Worst([&](absl::Span<const float> x) {
    const Sums exact = ExactSums(x);
    const float y = kernels.sum_row(x.data(), static_cast<int64_t>(x.size()));
    return static_cast<double>(std::abs(y - exact.sum) / (kUnit * exact.of_magnitudes));
  });
}

double MeasureMean(const KernelTable& kernels) {
  return Worst([&](absl::Span<const float> x) {
    const auto n = static_cast<long double>(x.size());
    const Sums exact = ExactSums(x);
    const float y = kernels.mean_row(x.data(), static_cast<int64_t>(x.size()));
    return static_cast<double>(std::abs(y - exact.sum / n) / (kUnit * exact.of_magnitudes / n));
  });
}

// Of factors around 1, whose product stays in range.
double MeasureProd(const KernelTable& kernels) {
  return Worst([&](absl::Span<const float> x) {
    std::vector<float> factors;
    long double exact = 1;
    for (const float v : x) exact *= factors.emplace_back(1 + std::sin(v) * 0x1p-10f);
    const float y = kernels.prod_row(factors.data(), static_cast<int64_t>(factors.size()));
    return static_cast<double>(std::abs(y - exact) / (kUnit * exact));
  });
}

}  // namespace

const std::vector<RowFunction>& RowFunctions() {
  static const auto* functions = new std::vector<RowFunction>{
      {"softmax", "y (2 + max - x)", 2, &MeasureSoftmax},
      {"log_softmax", "1 + abs(y)", 3, &MeasureLogSoftmax},
      {"layer_norm", "abs(weight (x - mean) / deviation) + abs(bias)", 6, &MeasureLayerNorm},
      {"reduce_sum", "sum of abs(x)", 19, &MeasureSum},
      {"reduce_mean", "mean of abs(x)", 19, &MeasureMean},
      {"reduce_prod", "abs(y)", 1.001, &MeasureProd},
  };
  return *functions;
}

std::string RowsTable() {
  std::string table = "| op | error at most | measured |\n|---|---|---|\n";
  for (const RowFunction& f : RowFunctions()) {
    absl::StrAppend(&table, absl::StrFormat("| `%s` | %g * 2^-24 * (%s) | %.2f * 2^-24 * (...) |\n", f.name, f.factor,
                                            f.scale, f.measure(ActiveKernels())));
  }
  return table;
}

}  // namespace rml
