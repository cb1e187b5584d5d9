#include "loadtest/arrivals.h"

#include <algorithm>
#include <cmath>

namespace rml {
namespace {

// SplitMix64, the generator that seeds others: one multiplication chain a number, and any state will do.
// Source: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014. std::exponential_distribution differs between
// standard libraries, and a seed should mean the same everywhere.
constexpr uint64_t kGamma = 0x9E3779B97F4A7C15;

uint64_t Mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// [0, 1)
double Uniform(uint64_t state) { return static_cast<double>(Mixed(state) >> 11) * 0x1p-53; }

}  // namespace

std::chrono::nanoseconds PoissonArrivals::Next() {
  state_ += kGamma;
  seconds_ -= std::log1p(-Uniform(state_)) / per_second_;
  return std::chrono::nanoseconds(std::llround(seconds_ * 1e9));
}

ModelMix::ModelMix(absl::Span<const double> weights, uint64_t seed) : seed_(seed) {
  double sum = 0;
  for (const double weight : weights) ends_.push_back(sum += weight);
  for (double& end : ends_) end /= sum;
}

size_t ModelMix::Pick(uint64_t request) const {
  // The complement keeps these numbers apart from those of arrivals with the same seed.
  const double at = Uniform(~seed_ + request * kGamma);
  const auto it = std::upper_bound(ends_.begin(), ends_.end(), at);
  return std::min<size_t>(static_cast<size_t>(it - ends_.begin()), ends_.size() - 1);
}

}  // namespace rml
