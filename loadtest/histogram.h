// Times in a log-linear histogram: 128 buckets to the octave, so that every percentile is within 0.4 % of a time that was
// measured, in a few KiB whatever the number of times (docs/decisions/histogram.md).
#pragma once

#include <cstdint>
#include <vector>

namespace rml {

// Whole nanoseconds from 0. Thread-compatible.
class Histogram {
 public:
  // Negative times count as 0.
  void Add(int64_t ns);
  void Add(const Histogram& other);

  int64_t count() const { return count_; }
  int64_t min() const { return count_ > 0 ? min_ : 0; }
  int64_t max() const { return max_; }
  double mean() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }

  // The nearest rank: of n sorted times number ceil(percent / 100 * n), counted from one; the middle of its bucket, or the
  // smallest or largest time where that is nearer. 0 for no times.
  int64_t Percentile(double percent) const { return AtRank(Rank(percent)); }

  // Between which measured times the percentile of the whole population lies with 95 % confidence, by order statistics:
  // ranks n p -+ 1.96 sqrt(n p (1 - p)).
  struct Interval {
    int64_t low = 0;
    int64_t high = 0;
  };
  Interval PercentileInterval(double percent) const;

 private:
  int64_t Rank(double percent) const;
  int64_t AtRank(int64_t rank) const;

  std::vector<int64_t> buckets_;  // as many as the largest time needs
  int64_t count_ = 0;
  int64_t min_ = INT64_MAX;
  int64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace rml
