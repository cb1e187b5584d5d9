#include "engine/kernels/dispatch.h"

#include <cpuid.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"

namespace rml {

extern const KernelTable kPortableKernels;
#if defined(__x86_64__)
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;
#endif

namespace {

#if defined(__x86_64__)
// XCR0: the register state that the operating system saves on a context switch. 0 without OSXSAVE.
uint64_t EnabledRegisterState() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & bit_OSXSAVE) == 0) return 0;
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

bool HasAvx2AndFma() {
  constexpr uint64_t kXmmYmm = 0x6;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if ((EnabledRegisterState() & kXmmYmm) != kXmmYmm) return false;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & bit_FMA) == 0 || (ecx & bit_AVX) == 0) return false;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_AVX2) != 0;
}

bool HasAvx512() {
  constexpr uint64_t kXmmYmmZmmMasks = 0xe6;
  constexpr unsigned kNeeded = bit_AVX512F | bit_AVX512VL | bit_AVX512BW | bit_AVX512DQ;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!HasAvx2AndFma() || (EnabledRegisterState() & kXmmYmmZmmMasks) != kXmmYmmZmmMasks) return false;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & kNeeded) == kNeeded;
}
#endif

const std::vector<const KernelTable*>& Tables() {
  static const std::vector<const KernelTable*> tables = [] {
    std::vector<const KernelTable*> found = {&kPortableKernels};
#if defined(__x86_64__)
    if (HasAvx2AndFma()) found.push_back(&kAvx2Kernels);
    if (HasAvx512()) found.push_back(&kAvx512Kernels);
#endif
    return found;
  }();
  return tables;
}

struct Selection {
  absl::Status status;
  const KernelTable* table;
};

const Selection& Selected() {
  static const Selection selection = []() -> Selection {
    const char* forced = std::getenv("RML_ISA");
    if (forced == nullptr || *forced == '\0') return {absl::OkStatus(), Tables().back()};
    const absl::StatusOr<const KernelTable*> table = FindKernels(forced);
    if (!table.ok()) {
      return {absl::Status(table.status().code(), absl::StrFormat("RML_ISA: %s", table.status().message())),
              &kPortableKernels};
    }
    return {absl::OkStatus(), *table};
  }();
  return selection;
}

}  // namespace

absl::Span<const KernelTable* const> AvailableKernels() { return Tables(); }

const KernelTable& ActiveKernels() { return *Selected().table; }

absl::Status SelectKernels() { return Selected().status; }

absl::StatusOr<const KernelTable*> FindKernels(std::string_view isa) {
  std::string available;
  for (const KernelTable* table : Tables()) {
    if (isa == table->isa) return table;
    available += (available.empty() ? "" : ", ") + std::string(table->isa);
  }
  constexpr std::array<std::string_view, 3> kNames = {"portable", "avx2", "avx512"};
  for (const std::string_view name : kNames) {
    if (isa == name) {
      return absl::FailedPreconditionError(
          absl::StrFormat("instruction set '%s' is not supported here; available: %s", std::string(isa), available));
    }
  }
  return absl::InvalidArgumentError(absl::StrFormat("unknown instruction set '%s'; expected portable, avx2 or avx512",
                                                    std::string(isa.substr(0, 64))));
}

}  // namespace rml
