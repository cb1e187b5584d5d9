// What one core of this machine reaches at most, measured when asked: the yardstick of profiles and benchmarks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rml {

// Runs `rounds` rounds of 12 independent FMAs over registers of the named instruction set and returns the number of
// floating-point operations done (two an FMA and lane); 0 for a set without a measurement ("portable").
double RunFmaChains(std::string_view isa, int64_t rounds);

// Loads [data, data + bytes) into registers of the named set, in order, and returns the number of bytes read: whole units
// of 512; 0 for "portable". data is 64-byte aligned.
double ReadThrough(std::string_view isa, const void* data, int64_t bytes);

// The peaks of one core, each measured on first use, in about a millisecond, and kept: make a meter for each report, as
// clocks and neighbours change. Thread-compatible. Everything is 0 for "portable".
class PeakMeter {
 public:
  explicit PeakMeter(std::string_view isa) : isa_(isa) {}

  double flops_per_second();
  // Reading a working set of at least 16 KiB and at most `bytes` again and again: that of the level of cache that holds
  // it. Sets are measured in steps of four, up to 16 MiB.
  double bytes_per_second(double bytes);

  // The time that this many operations and bytes take at the peak: whichever takes longer.
  double SecondsAtPeak(double flops, double bytes);

 private:
  std::string isa_;
  double flops_per_second_ = -1;
  std::map<int64_t, double> bytes_per_second_;  // by working set
  std::vector<float> memory_;
};

}  // namespace rml
