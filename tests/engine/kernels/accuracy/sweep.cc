#include "tests/engine/kernels/accuracy/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/base/casts.h"
#include "tests/engine/kernels/accuracy/on_all_cores.h"

namespace rml {
namespace {

constexpr uint32_t kNumMagnitudes = uint32_t{1} << 31;  // the NaNs included
constexpr uint32_t kChunk = 1 << 15;                    // arguments and results on every set stay in the L2 cache
constexpr uint32_t kNeighbours = 64;

float FromBits(uint32_t bits) { return absl::bit_cast<float>(bits); }

void AddNeighbours(float x, std::vector<uint32_t>& magnitudes) {
  const uint32_t middle = absl::bit_cast<uint32_t>(std::abs(x));
  const uint32_t first = middle < kNeighbours ? 0 : middle - kNeighbours;
  for (uint32_t bits = first; bits <= middle + kNeighbours && bits < kNumMagnitudes; ++bits) magnitudes.push_back(bits);
}

}  // namespace

Accuracy SweepAll(const Function& function, const std::function<void(double)>& progress) {
  const auto measure = [&](uint32_t part) {
    const uint32_t before = part == 0 ? 0 : 1;
    std::vector<float> x(kChunk + before);
    for (uint32_t i = 0; i < x.size(); ++i) x[i] = FromBits(part * kChunk - before + i);
    return Measure(function, x, before);
  };
  Accuracy total;
  OnAllCores(kNumMagnitudes / kChunk, measure, [&](const Accuracy& part) { total.Merge(part); }, progress);
  return total;
}

Accuracy SweepSample(const Function& function, uint32_t stride, absl::Span<const float> also) {
  std::vector<uint32_t> magnitudes;
  for (uint32_t bits = 0; bits < kNumMagnitudes - stride; bits += stride) {
    magnitudes.push_back(bits);
    magnitudes.push_back(bits + 1);
  }
  using Limits = std::numeric_limits<float>;
  for (const float x : {0.0f, Limits::min(), 1.0f, Limits::max(), Limits::infinity(), Limits::quiet_NaN()}) {
    AddNeighbours(x, magnitudes);
  }
  for (const float x : function.edges) AddNeighbours(x, magnitudes);
  for (const Limit& limit : function.limits) AddNeighbours(limit.x, magnitudes);
  for (const float x : also) AddNeighbours(x, magnitudes);
  std::sort(magnitudes.begin(), magnitudes.end());
  magnitudes.erase(std::unique(magnitudes.begin(), magnitudes.end()), magnitudes.end());

  std::vector<float> x(magnitudes.size());
  std::transform(magnitudes.begin(), magnitudes.end(), x.begin(), &FromBits);
  const auto num_parts = static_cast<uint32_t>((x.size() + kChunk - 1) / kChunk);
  const auto measure = [&](uint32_t part) {
    const size_t before = part == 0 ? 0 : 1;
    return Measure(function, absl::MakeSpan(x).subspan(part * kChunk - before, kChunk + before), before);
  };
  Accuracy total;
  OnAllCores(num_parts, measure, [&](const Accuracy& part) { total.Merge(part); }, [](double) {});
  return total;
}

}  // namespace rml
