#include "engine/gemm/packed_b.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "engine/kernels/dispatch.h"

namespace rml {
namespace {

TEST(PackedBTest, HoldsEveryElementOnceAndZerosBesides) {
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const int64_t K : {1, 7, 256, 300}) {
      for (const int64_t N : {1, 15, 16, 33, 70}) {
        std::vector<float> B(K * N);
        std::iota(B.begin(), B.end(), 1.0f);
        const PackedB packed = *PackedB::Pack({B.data(), N, 1}, K, N, *kernels);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(packed.panel(0, 0)) % 64, 0u);
        const int64_t nr = packed.nr();
        for (int64_t k = 0; k < K; ++k) {
          for (int64_t j = 0; j < packed.num_panels() * nr; ++j) {
            const float got = packed.panel(k / kGemmBlockK, j / nr)[k % kGemmBlockK * nr + j % nr];
            ASSERT_EQ(got, j < N ? B[k * N + j] : 0.0f) << kernels->isa << " k=" << k << " j=" << j;
          }
        }
      }
    }
  }
}

TEST(PackedBTest, ReadsAnyStrides) {
  for (const KernelTable* kernels : AvailableKernels()) {
    std::vector<float> data(3 * 1000);
    std::iota(data.begin(), data.end(), 0.0f);
    const PackedB packed = *PackedB::Pack({data.data(), 100, 3}, 9, 20, *kernels);
    EXPECT_EQ(packed.panel(0, 0)[2 * packed.nr() + 5], 215.0f);
  }
}

TEST(PackedBTest, FlushesSubnormals) {
  const std::vector<float> B = {1e-40f, -1e-40f, 1e-37f, -2.0f};
  const PackedB packed = *PackedB::Pack({B.data(), 4, 1}, 1, 4, *AvailableKernels().front());
  const float* panel = packed.panel(0, 0);
  EXPECT_EQ(panel[0], 0.0f);
  EXPECT_EQ(panel[1], 0.0f);
  EXPECT_EQ(panel[2], 1e-37f);
  EXPECT_EQ(panel[3], -2.0f);
}

TEST(PackedBTest, EmptyMatricesNeedNoMemory) {
  EXPECT_EQ(PackedB::Pack({}, 0, 5, *AvailableKernels().front())->size_bytes(), 0);
  EXPECT_EQ(PackedB::Pack({}, 5, 0, *AvailableKernels().front())->size_bytes(), 0);
}

}  // namespace
}  // namespace rml
