// tests/fixtures/exact_values.csv: functions at f32 arguments to 30 digits, by mpmath.
#pragma once

#include <string>
#include <vector>

namespace rml {

struct ExactValue {
  std::string function;  // "exp"; "gelu_tanh"; "pow"
  std::vector<float> x;  // one argument, or two
  double value;          // the digits rounded to f64
};

// Aborts the test program if the file cannot be read.
const std::vector<ExactValue>& ExactValues();

}  // namespace rml
