#include "engine/kernels/dispatch.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace rml {
namespace {

TEST(DispatchTest, PortableComesFirstAndNamesAreUnique) {
  ASSERT_FALSE(AvailableKernels().empty());
  EXPECT_STREQ(AvailableKernels().front()->isa, "portable");
  for (const KernelTable* kernels : AvailableKernels()) {
    EXPECT_EQ(FindKernels(kernels->isa).value(), kernels);
    EXPECT_GE(kernels->gemm.mr, 1);
    EXPECT_LE(kernels->gemm.mr, kMaxMr);
    EXPECT_LE(kernels->gemm.nr, kMaxNr);
    EXPECT_EQ(kernels->gemm.nr % 16, 0);
    std::printf("available: %s, gemm %dx%d\n", kernels->isa, kernels->gemm.mr, kernels->gemm.nr);
  }
}

TEST(DispatchTest, FindKernelsNamesWhatItGotAndExpected) {
  const auto unknown = FindKernels("sse9");
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(unknown.status().message(), "unknown instruction set 'sse9'; expected portable, avx2 or avx512");
  for (const char* isa : {"avx2", "avx512"}) {
    const auto found = FindKernels(isa);
    if (found.ok()) continue;
    EXPECT_EQ(found.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_NE(std::string(found.status().message()).find("available: portable"), std::string::npos);
  }
}

// The choice is fixed once per process, so each case looks at it in a child.
void ExitWithChoice(const char* forced) {
  if (forced == nullptr) {
    unsetenv("RML_ISA");
  } else {
    setenv("RML_ISA", forced, 1);
  }
  const absl::Status status = SelectKernels();
  std::fprintf(stderr, "%s|%s\n", ActiveKernels().isa, status.ToString().c_str());
  std::exit(status.ok() ? 0 : 1);
}

TEST(DispatchDeathTest, TheBestSetIsTheDefault) {
  const std::string best = AvailableKernels().back()->isa;
  EXPECT_EXIT(ExitWithChoice(nullptr), testing::ExitedWithCode(0), best + ".OK");
  EXPECT_EXIT(ExitWithChoice(""), testing::ExitedWithCode(0), best + ".OK");
}

TEST(DispatchDeathTest, EnvironmentForcesASet) {
  for (const KernelTable* kernels : AvailableKernels()) {
    EXPECT_EXIT(ExitWithChoice(kernels->isa), testing::ExitedWithCode(0), std::string(kernels->isa) + ".OK");
  }
}

TEST(DispatchDeathTest, AnUnknownSetIsAnError) {
  EXPECT_EXIT(ExitWithChoice("AVX2"), testing::ExitedWithCode(1),
              "INVALID_ARGUMENT: RML_ISA: unknown instruction set 'AVX2'");
}

}  // namespace
}  // namespace rml
