// Random numbers that are the same on every machine and with every standard library, which <random>'s distributions are
// not: a seed means the same graph everywhere.
// Source: SplitMix64, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace rml {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // In [0, n); 0 if n < 2.
  int64_t Below(int64_t n) { return n < 2 ? 0 : static_cast<int64_t>(Next() % static_cast<uint64_t>(n)); }
  // In [lo, hi], both inclusive.
  int64_t Between(int64_t lo, int64_t hi) { return lo + Below(hi - lo + 1); }
  // In [0, 1), in steps of 2^-53.
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  bool Chance(double probability) { return Unit() < probability; }

  // An element; `items` is not empty.
  template <typename T>
  T Pick(const std::vector<T>& items) {
    return items[Below(static_cast<int64_t>(items.size()))];
  }

  template <typename T>
  void Shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Below(static_cast<int64_t>(i))]);
  }

 private:
  uint64_t state_;
};

}  // namespace rml
