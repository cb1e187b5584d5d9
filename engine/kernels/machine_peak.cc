#include "engine/kernels/machine_peak.h"

#include <algorithm>
#include <chrono>
#include <memory>

namespace rml {
namespace {

// In assembly, because the compiler would otherwise fold the chains or move them to memory. Twelve chains cover the
// latency of four cycles at two FMAs a cycle, with room to spare.
#define RML_CHAINS(reg)                        \
  "1:\n\t"                                     \
  "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg \
  "1\n\t"                                      \
  "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg \
  "2\n\t"                                      \
  "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg \
  "3\n\t"                                      \
  "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg \
  "4\n\t"                                      \
  "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg \
  "5\n\t"                                      \
  "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg \
  "6\n\t"                                      \
  "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg \
  "7\n\t"                                      \
  "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg \
  "8\n\t"                                      \
  "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg \
  "9\n\t"                                      \
  "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg \
  "10\n\t"                                     \
  "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg \
  "11\n\t"                                     \
  "vfmadd231ps %%" reg "0, %%" reg "0, %%" reg \
  "12\n\t"                                     \
  "dec %0\n\t"                                 \
  "jnz 1b\n\t"                                 \
  "vzeroupper\n\t"

#define RML_CLOBBERS \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "cc"

constexpr int kChains = 12;

#define RML_LOADS(reg)        \
  "1:\n\t"                    \
  "vmovaps (%0), %%" reg      \
  "0\n\t"                     \
  "vmovaps %c2(%0), %%" reg   \
  "1\n\t"                     \
  "vmovaps 2*%c2(%0), %%" reg \
  "2\n\t"                     \
  "vmovaps 3*%c2(%0), %%" reg \
  "3\n\t"                     \
  "vmovaps 4*%c2(%0), %%" reg \
  "4\n\t"                     \
  "vmovaps 5*%c2(%0), %%" reg \
  "5\n\t"                     \
  "vmovaps 6*%c2(%0), %%" reg \
  "6\n\t"                     \
  "vmovaps 7*%c2(%0), %%" reg \
  "7\n\t"                     \
  "add $8*%c2, %0\n\t"        \
  "cmp %1, %0\n\t"            \
  "jb 1b\n\t"                 \
  "vzeroupper\n\t"

constexpr int64_t kReadUnit = 512;  // eight registers of 64 bytes
constexpr int64_t kSmallestSet = 16 << 10, kLargestSet = 16 << 20;
constexpr int kTries = 5;  // the best of them: a peak is what nothing disturbed

// The best rate of `run`, which returns the work it did.
template <typename Run>
double BestRate(const Run& run) {
  using Clock = std::chrono::steady_clock;
  run();
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    const Clock::time_point start = Clock::now();
    const double work = run();
    best = std::max(best, work / std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace

double RunFmaChains(std::string_view isa, int64_t rounds) {
  const double fmas = static_cast<double>(rounds) * kChains;
  if (isa == "avx2") {
    __asm__ volatile("vpxor %%xmm0, %%xmm0, %%xmm0\n\t" RML_CHAINS("ymm") : "+r"(rounds) : : RML_CLOBBERS);
    return fmas * 8 * 2;
  }
  if (isa == "avx512") {
    __asm__ volatile("vpxor %%xmm0, %%xmm0, %%xmm0\n\t" RML_CHAINS("zmm") : "+r"(rounds) : : RML_CLOBBERS);
    return fmas * 16 * 2;
  }
  return 0;
}

double ReadThrough(std::string_view isa, const void* data, int64_t bytes) {
  bytes = bytes / kReadUnit * kReadUnit;
  if (bytes == 0) return 0;
  const char* p = static_cast<const char*>(data);
  const char* const end = p + bytes;
  if (isa == "avx2") {
    __asm__ volatile(RML_LOADS("ymm") : "+r"(p) : "r"(end), "i"(32) : RML_CLOBBERS, "memory");
    return static_cast<double>(bytes);
  }
  if (isa == "avx512") {
    __asm__ volatile(RML_LOADS("zmm") : "+r"(p) : "r"(end), "i"(64) : RML_CLOBBERS, "memory");
    return static_cast<double>(bytes);
  }
  return 0;
}

double PeakMeter::flops_per_second() {
  if (flops_per_second_ < 0) {
    flops_per_second_ = BestRate([this] { return RunFmaChains(isa_, 20'000); });  // some 40 us
  }
  return flops_per_second_;
}

double PeakMeter::bytes_per_second(double bytes) {
  int64_t set = kSmallestSet;
  while (set < kLargestSet && static_cast<double>(4 * set) <= bytes) set *= 4;
  const auto known = bytes_per_second_.find(set);
  if (known != bytes_per_second_.end()) return known->second;
  constexpr int64_t kFloatsPerLine = 16;
  memory_.resize(std::max<size_t>(memory_.size(), set / sizeof(float) + kFloatsPerLine));
  void* data = memory_.data();
  size_t space = memory_.size() * sizeof(float);
  std::align(64, static_cast<size_t>(set), data, space);
  // Small sets are read more than once a try, so that reading the clock does not count.
  const int64_t passes = std::max<int64_t>(1, (1 << 20) / set);
  const double rate = BestRate([&] {
    double read = 0;
    for (int64_t i = 0; i < passes; ++i) read += ReadThrough(isa_, data, set);
    return read;
  });
  return bytes_per_second_[set] = rate;
}

double PeakMeter::SecondsAtPeak(double flops, double bytes) {
  double seconds = 0;
  if (flops > 0 && flops_per_second() > 0) seconds = flops / flops_per_second();
  if (bytes > 0 && bytes_per_second(bytes) > 0) seconds = std::max(seconds, bytes / bytes_per_second(bytes));
  return seconds;
}

}  // namespace rml
