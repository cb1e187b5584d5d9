#include "tests/engine/kernels/accuracy/pow_sample.h"

#include <cmath>
#include <iterator>

#include "absl/base/casts.h"
#include "absl/strings/str_format.h"
#include "engine/kernels/denormals.h"
#include "engine/kernels/dispatch.h"
#include "tests/engine/kernels/accuracy/on_all_cores.h"
#include "tests/engine/kernels/accuracy/ulp.h"

namespace rml {
namespace {

constexpr uint32_t kChunk = 1 << 15;

// A generator whose k-th state is known without the ones before it (splitmix64).
class Bits {
 public:
  explicit Bits(uint64_t index) : state_(index * 8) {}
  uint64_t Next() {
    uint64_t z = ++state_ * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  int Below(int n) { return static_cast<int>(Next() % static_cast<uint64_t>(n)); }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }  // [0, 1)
  float Normal(bool any_sign) {
    const uint64_t bits = Next();
    const float x = std::ldexp(1 + static_cast<float>(bits & 0x7fffff) * 0x1p-23f, static_cast<int>(bits >> 32) % 126);
    return any_sign && (bits >> 24 & 1) != 0 ? -x : x;
  }

 private:
  uint64_t state_;
};

struct Pair {
  float x, y;
};

// y for x^y = 2^exponent, at most 1e9 in size.
float PowerFor(float x, double exponent) {
  const double log2 = std::log2(std::abs(double{x}));
  return static_cast<float>(log2 == 0 ? exponent : std::fmax(-1e9, std::fmin(1e9, exponent / log2)));
}

Pair MakePair(uint64_t index) {
  constexpr float kModelPowers[] = {0.5f,  -0.5f, 1 / 3.0f, 2 / 3.0f, 1.5f, 2.0f, 3.0f, 4.0f, -1.0f,
                                    -2.0f, 0.25f, 2.2f,     1 / 2.2f, 2.4f, 10,   0.1f, 0.9f, 0.999f};
  Bits bits(index);
  switch (index % 5) {
    case 0: {
      const float x = bits.Normal(false);
      return {x, PowerFor(x, 260 * bits.Unit() - 130)};
    }
    case 1:
      return {bits.Normal(true), static_cast<float>(bits.Below(161) - 80) / 2};
    case 2: {
      const float x = 1 + static_cast<float>(bits.Below(8193) - 4096) * 0x1p-23f;
      return {x, PowerFor(x, 260 * bits.Unit() - 130)};
    }
    case 3: {
      const float x = bits.Normal(false);
      const double exponent = bits.Below(2) == 0 ? 128 : -126;
      return {x, PowerFor(x, exponent * (1 + 0x1p-16 * (bits.Unit() - 0.5)))};
    }
    default:
      return {std::ldexp(1 + static_cast<float>(bits.Unit()), bits.Below(40) - 20),
              kModelPowers[bits.Below(std::size(kModelPowers))]};
  }
}

std::vector<float> Run(const KernelTable& kernels, const std::vector<float>& x, const std::vector<float>& y) {
  std::vector<float> z(x.size());
  const ScopedFlushDenormals flush;
  kernels.pow.vv(x.data(), y.data(), static_cast<int64_t>(x.size()), z.data());
  return z;
}

double ExactPow(float x, float y) { return std::pow(double{Flush(x)}, double{Flush(y)}); }

void Compare(const KernelTable& best, const std::vector<float>& x, const std::vector<float>& y,
             const std::vector<float>& z, PowAccuracy& accuracy) {
  for (const KernelTable* kernels : AvailableKernels().first(AvailableKernels().size() - 1)) {
    const std::vector<float> other = Run(*kernels, x, y);
    for (size_t i = 0; i < x.size() && accuracy.differences.size() < 5; ++i) {
      if (SameBitsOrNan(z[i], other[i])) continue;
      accuracy.differences.push_back(absl::StrFormat("pow(%.9g, %.9g): %.9g on %s, %.9g on %s", x[i], y[i], z[i],
                                                     best.isa, other[i], kernels->isa));
    }
  }
}

}  // namespace

PowAccuracy MeasurePow(uint64_t first, uint64_t count) {
  std::vector<float> x, y;
  for (uint64_t i = first; i < first + count; ++i) {
    const Pair pair = MakePair(i);
    x.push_back(pair.x);
    y.push_back(pair.y);
  }
  const KernelTable& best = *AvailableKernels().back();
  const std::vector<float> z = Run(best, x, y);
  PowAccuracy accuracy;
  Compare(best, x, y, z, accuracy);
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = ExactPow(x[i], y[i]);
    const double error = UlpError(z[i], exact);
    if (std::abs(exact) >= kMinNormal && std::abs(exact) < kOverflow) {
      ++accuracy.num_worked;
      accuracy.num_correct += z[i] == RoundAndFlush(exact) ? 1 : 0;
      accuracy.error_sum += error;
    }
    if (error > accuracy.worst) {
      accuracy.worst = error;
      accuracy.worst_x = x[i];
      accuracy.worst_y = y[i];
    }
  }
  return accuracy;
}

PowAccuracy SweepPow(uint64_t count, const std::function<void(double)>& progress) {
  PowAccuracy total;
  OnAllCores(
      static_cast<uint32_t>(count / kChunk), [](uint32_t part) { return MeasurePow(uint64_t{part} * kChunk, kChunk); },
      [&total](const PowAccuracy& part) {
        // Of equal errors the smaller argument: the outcome does not depend on the order of the parts.
        if (part.worst > total.worst || (part.worst == total.worst && part.worst_x < total.worst_x)) {
          total.worst = part.worst;
          total.worst_x = part.worst_x;
          total.worst_y = part.worst_y;
        }
        total.error_sum += part.error_sum;
        total.num_worked += part.num_worked;
        total.num_correct += part.num_correct;
        total.differences.insert(total.differences.end(), part.differences.begin(), part.differences.end());
      },
      progress);
  return total;
}

double PowErrorAt(float x, float y) { return UlpError(Run(ActiveKernels(), {x}, {y})[0], ExactPow(x, y)); }

}  // namespace rml
