// A dimension or integer attribute of a graph: a number, or a multiple of the row count B.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rml {

// `factor` or `factor * B`. Written in files as 64, "B" or "64*B". A multiple of B has factor >= 1.
class Dim {
 public:
  constexpr Dim(int64_t value = 0) : factor_(value) {}  // NOLINT(google-explicit-constructor): integers are dims
  static constexpr Dim TimesB(int64_t factor) {
    Dim d(factor);
    d.symbolic_ = true;
    return d;
  }

  constexpr bool symbolic() const { return symbolic_; }
  constexpr int64_t factor() const { return factor_; }
  constexpr bool is(int64_t value) const { return !symbolic_ && factor_ == value; }
  // The number for a row count. Requires that factor * rows fits (CheckStructure checks it for the largest row count).
  constexpr int64_t At(int64_t rows) const { return symbolic_ ? factor_ * rows : factor_; }

  constexpr bool operator==(const Dim&) const = default;

 private:
  int64_t factor_ = 0;
  bool symbolic_ = false;
};

std::string ToString(const Dim& dim);
std::string ToString(const std::vector<Dim>& dims);  // "[B, 3]"

}  // namespace rml
