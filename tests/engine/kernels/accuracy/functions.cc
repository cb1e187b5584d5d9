#include "tests/engine/kernels/accuracy/functions.h"

#include <cmath>
#include <limits>
#include <utility>

#include "tests/engine/kernels/accuracy/exact.h"

namespace rml {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// The f32 numbers nearest to the multiples of pi/4 are where a reduced argument is smallest or changes its quadrant.
std::vector<float> QuarterTurns() {
  std::vector<float> x = {0x1p28f};
  for (int i = 1; i <= 200; ++i) x.push_back(static_cast<float>(i * M_PI_4));
  return x;
}

// exp(x) = 2^n exp(r): n changes at the odd multiples of ln(2) / 2.
std::vector<float> HalfPowersOfTwo(double scale) {
  std::vector<float> x;
  for (int i = 1; i <= 255; i += 2) x.push_back(static_cast<float>(i * M_LN2 / 2 * scale));
  return x;
}

std::vector<float> With(std::vector<float> x, std::vector<float> more) {
  x.insert(x.end(), more.begin(), more.end());
  return x;
}

std::vector<Function> MakeFunctions() {
  return {
      {.name = "exp",
       .kernel = &KernelTable::exp,
       .exact = &std::exp,
       .bound = 2,
       .monotone = Monotone::kRising,
       .lowest = 0,
       .limits = {{0x1.62e430p+6f, kInf}, {-0x1.5d58a0p+6f, 0}},
       .work_from = 0x1p-12f,
       .work_to = 89,
       .edges = HalfPowersOfTwo(1)},
      {.name = "log",
       .kernel = &KernelTable::log,
       .exact = &std::log,
       .bound = 2,
       .monotone = Monotone::kRising,
       .edges = {0x1.6a09e6p-1f, 0x1.6a09e8p-1f, 0x1.6a09e6p+0f}},
      {.name = "sqrt", .kernel = &KernelTable::sqrt, .exact = &std::sqrt, .bound = 0.5, .monotone = Monotone::kRising},
      {.name = "rsqrt",
       .kernel = &KernelTable::rsqrt,
       .exact = &exact::Rsqrt,
       .bound = 2,
       .monotone = Monotone::kFalling},
      {.name = "reciprocal",
       .kernel = &KernelTable::reciprocal,
       .exact = &exact::Reciprocal,
       .bound = 0.5,
       .symmetry = Symmetry::kOdd,
       .monotone = Monotone::kFalling,
       .edges = {0x1p126f}},
      {.name = "square",
       .kernel = &KernelTable::square,
       .exact = &exact::Square,
       .bound = 0.5,
       .symmetry = Symmetry::kEven},
      {.name = "cube",
       .kernel = &KernelTable::cube,
       .exact = &exact::Cube,
       .bound = 2,
       .symmetry = Symmetry::kOdd,
       .monotone = Monotone::kRising},
      {.name = "sin",
       .kernel = &KernelTable::sin,
       .exact = &std::sin,
       .bound = 2,
       .symmetry = Symmetry::kOdd,
       .lowest = -1,
       .highest = 1,
       .work_from = 0x1p-12f,
       .edges = QuarterTurns()},
      {.name = "cos",
       .kernel = &KernelTable::cos,
       .exact = &std::cos,
       .bound = 2,
       .symmetry = Symmetry::kEven,
       .lowest = -1,
       .highest = 1,
       .work_from = 0x1p-12f,
       .edges = QuarterTurns()},
      {.name = "tanh",
       .kernel = &KernelTable::tanh,
       .exact = &std::tanh,
       .bound = 2,
       .symmetry = Symmetry::kOdd,
       .monotone = Monotone::kRising,
       .lowest = -1,
       .highest = 1,
       .limits = {{0x1.205968p+3f, 1}, {-0x1.205968p+3f, -1}},
       .work_from = 0x1p-12f,
       .work_to = 9.02f,
       .edges = With(HalfPowersOfTwo(0.5), {0.55f})},
      {.name = "sigmoid",
       .kernel = &KernelTable::sigmoid,
       .exact = &exact::Sigmoid,
       .bound = 2,
       .lowest = 0,
       .highest = 1,
       .limits = {{0x1.154246p+4f, 1}, {-0x1.5d58a0p+6f, 0}},
       .work_from = 0x1p-12f,
       .work_to = 89,
       .edges = HalfPowersOfTwo(1)},
      {.name = "erf",
       .kernel = &KernelTable::erf,
       .exact = &std::erf,
       .bound = 2,
       .symmetry = Symmetry::kOdd,
       .monotone = Monotone::kRising,
       .lowest = -1,
       .highest = 1,
       .limits = {{0x1.f5a88ap+1f, 1}, {-0x1.f5a88ap+1f, -1}},
       .work_from = 0x1p-12f,
       .work_to = 4,
       .edges = {1, 3, 3.92f}},
      {.name = "gelu",
       .kernel = &KernelTable::gelu,
       .exact = &exact::Gelu,
       .unit = ErrorUnit::kRelative,
       .bound = 1e-5,
       .bounded_from = -10,
       .lowest = -0.17f,
       .limits = {{-0x1.9e6604p+3f, 0}},
       .work_from = 0x1p-12f,
       .work_to = 10},
      {.name = "gelu_tanh",
       .kernel = &KernelTable::gelu_tanh,
       .exact = &exact::GeluTanh,
       .unit = ErrorUnit::kRelative,
       .bound = 1e-5,
       .bounded_from = -10,
       .lowest = -0.171f,
       .limits = {{-0x1.41f370p+3f, 0}},
       .work_from = 0x1p-12f,
       .work_to = 10},
  };
}

// By subtraction, or without any rounding.
std::vector<Function> MakeMoreFunctions() {
  const std::vector<float> halves = {0x1p22f, 0x1p23f, 0x1p24f, 0.5f, 1.5f, 2.5f, 1, 2, 3};
  return {
      {.name = "expm1",
       .kernel = &KernelTable::expm1,
       .exact = &std::expm1,
       .bound = 2,
       .lowest = -1,
       .limits = {{0x1.62e430p+6f, kInf}, {-0x1.154246p+4f, -1}},
       .work_from = 0x1p-25f,
       .work_to = 89,
       .edges = HalfPowersOfTwo(1)},
      {.name = "log1p",
       .kernel = &KernelTable::log1p,
       .exact = &std::log1p,
       .bound = 2,
       .work_from = 0x1p-25f,
       .edges = {0x1.2bec32p-2f, 0x1.2bec34p-2f, 0x1.a8279ap-2f, 0x1p-24f, 1, 0x1p23f, 0x1p24f, 0x1p25f}},
      {.name = "erfc",
       .kernel = &KernelTable::erfc,
       .exact = &std::erfc,
       .unit = ErrorUnit::kRelative,
       .bound = 1e-5,
       .lowest = 0,
       .highest = 2,
       .limits = {{0x1.2639c0p+3f, 0}, {-0x1.ea8f96p+1f, 2}},
       .work_from = 0x1p-25f,
       .work_to = 9.3f,
       .edges = {0.5f, 1, 3.9f}},
      {.name = "floor",
       .kernel = &KernelTable::floor,
       .exact = &std::floor,
       .bound = 0,
       .monotone = Monotone::kRising,
       .edges = halves},
      {.name = "ceil",
       .kernel = &KernelTable::ceil,
       .exact = &std::ceil,
       .bound = 0,
       .monotone = Monotone::kRising,
       .edges = halves},
      {.name = "round_even",
       .kernel = &KernelTable::round_even,
       .exact = &std::nearbyint,
       .bound = 0,
       .symmetry = Symmetry::kOdd,
       .monotone = Monotone::kRising,
       .edges = halves},
      {.name = "sign",
       .kernel = &KernelTable::sign,
       .exact = &exact::Sign,
       .bound = 0,
       .symmetry = Symmetry::kOdd,
       .monotone = Monotone::kRising,
       .lowest = -1,
       .highest = 1},
  };
}

std::vector<Function> AllFunctions() {
  std::vector<Function> all = MakeFunctions();
  for (Function& function : MakeMoreFunctions()) all.push_back(std::move(function));
  return all;
}

}  // namespace

const std::vector<Function>& Functions() {
  static const auto* functions = new std::vector<Function>(AllFunctions());
  return *functions;
}

}  // namespace rml
