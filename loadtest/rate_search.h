// The search for the highest rate that a server can bear.
#pragma once

#include <optional>

namespace rml {

// Doubles the rate, or halves it, until one rate was borne and a higher one was not; then takes the middle until the two are
// close. A pure state machine: Next(), measure, Report(), until Next() is empty.
class RateSearch {
 public:
  // Ends when the borne rate is within `precision` of the other, or after max_rates.
  explicit RateSearch(double first, double precision = 0.05, int max_rates = 20)
      : next_(first), precision_(precision), left_(max_rates) {}

  std::optional<double> Next() const;
  void Report(bool borne);  // of the rate that Next() gave

  double best() const { return low_; }                    // the highest that was borne; 0 if none was
  std::optional<double> failed() const { return high_; }  // the lowest that was not

 private:
  double next_;
  double precision_;
  int left_;
  double low_ = 0;
  std::optional<double> high_;
};

}  // namespace rml
