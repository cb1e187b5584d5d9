#include "engine/graph/serde_number.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

namespace rml {
namespace {

constexpr int64_t kMaxPower = 308;

double PowerOfTen(int64_t exponent) {
  static const auto* powers = [] {
    auto* table = new std::array<double, kMaxPower + 1>;
    for (int64_t i = 0; i <= kMaxPower; ++i) (*table)[i] = std::strtod(("1e" + std::to_string(i)).c_str(), nullptr);
    return table;
  }();
  return (*powers)[exponent];
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The leading digits of a number, as many as fit, and the power of ten that is left.
struct Digits {
  uint64_t significand = 0;
  int64_t exponent = 0;

  // False if the digit does not fit any more.
  bool Append(char digit) {
    uint64_t next = 0;
    if (__builtin_mul_overflow(significand, uint64_t{10}, &next) ||
        __builtin_add_overflow(next, static_cast<uint64_t>(digit - '0'), &next)) {
      return false;
    }
    significand = next;
    return true;
  }
};

// Reads digits and fraction from `number`; what remains is empty or an exponent.
Digits ReadDigits(std::string_view& number) {
  Digits digits;
  const auto for_each_digit = [&](auto take) {
    while (!number.empty() && IsDigit(number.front())) {
      take(number.front());
      number.remove_prefix(1);
    }
  };
  if (number.starts_with('-')) number.remove_prefix(1);
  bool fits = true;
  for_each_digit([&](char digit) {
    fits = fits && digits.Append(digit);
    if (!fits) ++digits.exponent;
  });
  if (number.empty() || number.front() == 'e' || number.front() == 'E') return digits;
  number.remove_prefix(1);  // the point
  // A digit may fit here although one before the point did not: serde_json tries again.
  fits = true;
  for_each_digit([&](char digit) {
    fits = fits && digits.Append(digit);
    if (fits) --digits.exponent;
  });
  return digits;
}

bool IsFinite(const Digits& digits) {
  if (digits.significand == 0 || digits.exponent <= 0) return true;  // division makes nothing infinite
  return digits.exponent <= kMaxPower &&
         std::isfinite(static_cast<double>(digits.significand) * PowerOfTen(digits.exponent));
}

}  // namespace

bool SerdeHolds(std::string_view number) {
  constexpr int64_t kMaxExponent = std::numeric_limits<int32_t>::max();
  Digits digits = ReadDigits(number);
  if (number.empty()) return IsFinite(digits);
  number.remove_prefix(1);  // the e
  const bool negative = number.starts_with('-');
  if (negative || number.starts_with('+')) number.remove_prefix(1);
  int64_t exponent = 0;
  for (char digit : number) {
    exponent = exponent * 10 + (digit - '0');
    if (exponent > kMaxExponent) return negative || digits.significand == 0;
  }
  digits.exponent += negative ? -exponent : exponent;
  return IsFinite(digits);
}

}  // namespace rml
