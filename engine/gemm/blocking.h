// How a product is cut into blocks for the caches. None of this shows in the result: the sums are cut every kGemmBlockK
// of K whatever the blocking (gemm.h).
#pragma once

#include <cstdint>

#include "engine/kernels/kernel_table.h"

namespace rml {

enum class GemmBForm { kPacked, kStrided, kFilled };

struct GemmBlocking {
  int64_t depth;      // of K that goes through all columns before the next: a multiple of kGemmBlockK, or what K has
  int64_t row_tiles;  // tiles of mr rows a pass: mc. A's part of a pass stays in L2 while every panel of B goes by
  int64_t columns;    // of B made at a time, a multiple of nr: nc. All of them where B is packed
};

// M, N and K are the whole product's, on however many threads; l2_bytes is a core's.
GemmBlocking ChooseBlocking(const MicroKernel& kernel, GemmBForm form, int64_t M, int64_t N, int64_t K,
                            int64_t l2_bytes);

// The L2 cache of a core of this machine, 256 KiB to 2 MiB; 512 KiB if the system does not say. Asked once.
int64_t L2Bytes();

}  // namespace rml
