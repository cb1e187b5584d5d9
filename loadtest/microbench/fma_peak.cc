#include "loadtest/microbench/fma_peak.h"

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

}  // namespace rml
