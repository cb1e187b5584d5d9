#include "engine/kernels/machine_peak.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/kernels/dispatch.h"

namespace rml {
namespace {

TEST(MachinePeak, CountsTheWorkThatWasDone) {
  alignas(64) static char memory[4096];
  for (const KernelTable* kernels : AvailableKernels()) {
    const std::string isa = kernels->isa;
    const double lanes = isa == "avx512" ? 16 : isa == "avx2" ? 8 : 0;
    EXPECT_EQ(RunFmaChains(isa, 10), 10 * 12 * 2 * lanes) << isa;
    EXPECT_EQ(ReadThrough(isa, memory, sizeof(memory)), lanes > 0 ? 4096 : 0) << isa;
    EXPECT_EQ(ReadThrough(isa, memory, 1500), lanes > 0 ? 1024 : 0) << isa;
    EXPECT_EQ(ReadThrough(isa, memory, 511), 0) << isa;
  }
}

TEST(MachinePeak, MetersWhatTheSetCanDo) {
  for (const KernelTable* kernels : AvailableKernels()) {
    PeakMeter peak(kernels->isa);
    if (std::string(kernels->isa) == "portable") {
      EXPECT_EQ(peak.SecondsAtPeak(1e9, 1e9), 0);
      continue;
    }
    EXPECT_GT(peak.flops_per_second(), 0);
    EXPECT_EQ(peak.flops_per_second(), peak.flops_per_second()) << "measured once";
    EXPECT_EQ(peak.bytes_per_second(1), peak.bytes_per_second(16 << 10)) << "of one set";
    EXPECT_EQ(peak.bytes_per_second(1e12), peak.bytes_per_second(16 << 20)) << "of the largest set";
    EXPECT_EQ(peak.SecondsAtPeak(0, 0), 0);
    EXPECT_EQ(peak.SecondsAtPeak(2e9, 0), 2e9 / peak.flops_per_second());
    EXPECT_EQ(peak.SecondsAtPeak(1, 1e9), 1e9 / peak.bytes_per_second(1e9));
  }
}

}  // namespace
}  // namespace rml
