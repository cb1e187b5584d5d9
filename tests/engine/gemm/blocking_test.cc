#include "engine/gemm/blocking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "engine/kernels/dispatch.h"

namespace rml {
namespace {

struct Size {
  int64_t M, N, K;
};

TEST(BlockingTest, BlocksAreWholeAndWithinTheirCaches) {
  for (const KernelTable* kernels : AvailableKernels()) {
    const MicroKernel& kernel = kernels->gemm;
    for (const int64_t l2_bytes : {256 << 10, 512 << 10, 2 << 20}) {
      for (const GemmBForm form : {GemmBForm::kPacked, GemmBForm::kStrided, GemmBForm::kFilled}) {
        for (const auto& [M, N, K] :
             {Size{1, 1, 0}, {1, 1, 1}, {5, 0, 3}, {64, 512, 256}, {5000, 3000, 257}, {7, 33, 5000}}) {
          const GemmBlocking blocking = ChooseBlocking(kernel, form, M, N, K, l2_bytes);
          const std::string name = std::string(kernels->isa) + " form " + std::to_string(static_cast<int>(form)) +
                                   " M=" + std::to_string(M) + " N=" + std::to_string(N) + " K=" + std::to_string(K);
          EXPECT_TRUE(blocking.depth % kGemmBlockK == 0 || blocking.depth == std::max<int64_t>(K, 1)) << name;
          EXPECT_GE(blocking.depth, 1) << name;
          EXPECT_GE(blocking.row_tiles, 1) << name;
          EXPECT_LE(blocking.row_tiles * kernel.mr * blocking.depth * 4, l2_bytes / 2) << name;
          EXPECT_EQ(blocking.columns % kernel.nr, 0) << name;
          EXPECT_LT(blocking.columns, N + kernel.nr) << name;
          if (form == GemmBForm::kPacked) {
            EXPECT_GE(blocking.columns, N) << name;
          } else {
            EXPECT_LE(blocking.columns * blocking.depth, 256 << 10) << name;
          }
        }
      }
    }
  }
}

TEST(BlockingTest, ThisMachinesCacheIsWithinBounds) {
  EXPECT_GE(L2Bytes(), 256 << 10);
  EXPECT_LE(L2Bytes(), 2 << 20);
}

}  // namespace
}  // namespace rml
