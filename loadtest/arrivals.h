// Which request is sent when: fixed by a seed, so that two runs with the same seed send the same.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace rml {

// Arrivals of a Poisson process: independent exponential gaps, mean 1 / rate.
class PoissonArrivals {
 public:
  PoissonArrivals(double per_second, uint64_t seed) : per_second_(per_second), state_(seed) {}

  // Time from the start to the next arrival; never falls.
  std::chrono::nanoseconds Next();

 private:
  double per_second_;
  uint64_t state_;
  double seconds_ = 0;
};

// Chooses among models by weight. Thread-safe: the choice depends on the request's number alone.
class ModelMix {
 public:
  // Requires positive weights, at least one.
  ModelMix(absl::Span<const double> weights, uint64_t seed);

  size_t Pick(uint64_t request) const;

 private:
  std::vector<double> ends_;  // of each model's share of [0, 1)
  uint64_t seed_;
};

}  // namespace rml
