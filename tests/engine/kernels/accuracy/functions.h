// What the page docs/numerics.md promises of each function of one argument, in one place: the table that the tests
// measure, over every f32 number, and that the page's own table is made from.
#pragma once

#include <cstdint>
#include <limits>
#include <ostream>
#include <vector>

#include "engine/kernels/kernel_table.h"

namespace rml {

enum class ErrorUnit : uint8_t { kUlp, kRelative };
enum class Symmetry : uint8_t { kNone, kOdd, kEven };        // f(-x) = -f(x), f(-x) = f(x), bit for bit
enum class Monotone : uint8_t { kNone, kRising, kFalling };  // on each side of 0

// Every finite number from `x` outwards gives `value`; the number before does not.
struct Limit {
  float x;
  float value;
};

struct Function {
  static constexpr float kAll = std::numeric_limits<float>::infinity();

  const char* name;  // as in the kernel table
  UnaryFn KernelTable::* kernel;
  double (*exact)(double);
  ErrorUnit unit = ErrorUnit::kUlp;
  double bound;  // of the error of every result whose argument is at least `bounded_from`
  float bounded_from = -kAll;
  Symmetry symmetry = Symmetry::kNone;
  Monotone monotone = Monotone::kNone;
  float lowest = -kAll, highest = kAll;  // of the results
  std::vector<Limit> limits = {};
  float work_from = 0,
        work_to = kAll;           // |x| where the result is not constant and not x: mean and share are taken there
  std::vector<float> edges = {};  // where the implementation changes branches: a sample takes the neighbours too
};
inline std::ostream& operator<<(std::ostream& out, const Function& function) { return out << function.name; }

const std::vector<Function>& Functions();

// pow has two arguments: within this of the exact value, in ulp, in a sample of pairs (pow_sample.h).
inline constexpr double kPowBound = 1;

}  // namespace rml
