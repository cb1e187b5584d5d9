// One function held against its row of the table (functions.h), over any set of arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tests/engine/kernels/accuracy/functions.h"

namespace rml {

struct Accuracy {
  double worst = 0;  // error in the function's unit, where it is bounded
  float worst_x = 0;
  // Where it works (work_from, work_to) and the exact result is a normal number:
  int64_t num_worked = 0;
  int64_t num_correct = 0;  // equal to the exact result rounded
  double error_sum = 0;

  int64_t num_arguments = 0;
  int64_t num_backward = 0;             // neighbours, of those given, whose results go the wrong way
  int64_t num_violations = 0;           // anything else that the row rules out
  std::vector<std::string> violations;  // the first few

  double MeanError() const { return error_sum / static_cast<double>(num_worked); }
  double ShareCorrect() const { return static_cast<double>(num_correct) / static_cast<double>(num_worked); }
  void Violation(std::string text);
  void Merge(const Accuracy& other);
};

// Takes x and -x for every x of `magnitudes` (numbers and NaNs without sign, ascending), on every available instruction
// set, whose results must have the same bits. The first `num_before` arguments are only what the next one is compared
// with for Monotone.
Accuracy Measure(const Function& function, absl::Span<const float> magnitudes, int64_t num_before = 0);

// The error of f(x) as the active kernels give it, in the function's unit.
double ErrorAt(const Function& function, float x);

// "-28.0314598 (0xc1e04075)"
std::string NumberText(float x);

}  // namespace rml
