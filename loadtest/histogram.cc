#include "loadtest/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace rml {
namespace {

// Times below 256 ns have a bucket each; above, the leading eight bits of a time say which of its octave's 128 it is in.
constexpr int kLeadingBits = 8;
constexpr int64_t kPerOctave = int64_t{1} << (kLeadingBits - 1);

int Shift(int64_t ns) {
  return std::max(0, static_cast<int>(std::bit_width(static_cast<uint64_t>(ns))) - kLeadingBits);
}

size_t BucketOf(int64_t ns) {
  const int shift = Shift(ns);
  return static_cast<size_t>(shift * kPerOctave + (ns >> shift));
}

int64_t MiddleOf(size_t bucket) {
  const auto index = static_cast<int64_t>(bucket);
  const int64_t shift = std::max<int64_t>(0, index / kPerOctave - 1);
  const int64_t low = (index - shift * kPerOctave) << shift;
  return low + ((int64_t{1} << shift) - 1) / 2;
}

}  // namespace

void Histogram::Add(int64_t ns) {
  ns = std::max<int64_t>(ns, 0);
  const size_t bucket = BucketOf(ns);
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  ++buckets_[bucket];
  ++count_;
  min_ = std::min(min_, ns);
  max_ = std::max(max_, ns);
  sum_ += static_cast<double>(ns);
}

void Histogram::Add(const Histogram& other) {
  buckets_.resize(std::max(buckets_.size(), other.buckets_.size()));
  for (size_t i = 0; i < other.buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
}

int64_t Histogram::Rank(double percent) const {
  // Rounded down by a hair first: 99.9 % of 1000 is 999.0000000000001 in doubles.
  const int64_t rank = std::llround(std::ceil(percent / 100 * static_cast<double>(count_) - 1e-6));
  return std::max<int64_t>(1, std::min(rank, count_));  // not std::clamp: there may be no times
}

int64_t Histogram::AtRank(int64_t rank) const {
  int64_t seen = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= rank) return std::clamp(MiddleOf(i), min(), max());
  }
  return max();
}

Histogram::Interval Histogram::PercentileInterval(double percent) const {
  if (count_ == 0) return {};
  const double n = static_cast<double>(count_);
  const double p = percent / 100;
  const double spread = 1.96 * std::sqrt(n * p * (1 - p));
  const auto rank = [&](double at) { return std::clamp<int64_t>(std::llround(at), 1, count_); };
  return {AtRank(rank(std::floor(n * p - spread))), AtRank(rank(std::ceil(n * p + spread)))};
}

}  // namespace rml
