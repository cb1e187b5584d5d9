// pow over a fixed sequence of pairs, as its 2^64 pairs cannot all be tried.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rml {

struct PowAccuracy {
  double worst = 0;  // ulp
  float worst_x = 0, worst_y = 0;
  int64_t num_worked = 0, num_correct = 0;  // pairs whose exact result is a normal number; results equal to it rounded
  double error_sum = 0;                     // over the former
  std::vector<std::string> differences;     // between instruction sets; the first few

  double MeanError() const { return error_sum / static_cast<double>(num_worked); }
  double ShareCorrect() const { return static_cast<double>(num_correct) / static_cast<double>(num_worked); }
};

// Pairs first ... first + count - 1 of the sequence, a fifth of each kind: results over the whole range of f32; whole and
// half powers of numbers of either sign; huge powers of numbers next to 1; results next to overflow and underflow; the
// powers that models use.
PowAccuracy MeasurePow(uint64_t first, uint64_t count);

// Pairs 0 ... count - 1, on all cores.
PowAccuracy SweepPow(uint64_t count, const std::function<void(double)>& progress);

double PowErrorAt(float x, float y);

}  // namespace rml
