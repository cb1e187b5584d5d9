// Matrix products: C[M, N] = epilogue(A[M, K] * B[K, N]) in float32.
//
// Every element of C is one fixed sum: K in blocks of 256; in a block acc = 0, then acc = fma(A[i, k], B[k, j], acc) for
// k ascending; the blocks' sums are added in order. Then, in this order: + col_bias[j], + row_bias[i], + addend[i, j],
// activation. So the bits do not depend on M, N, the form of B, threads or instruction set.
// K == 0 gives epilogue(0); M == 0 or N == 0 is a no-op.
// Source: "Anatomy of High-Performance Matrix Multiplication", ACM TOMS 2008, section 4.
#pragma once

#include <cstdint>
#include <variant>

#include "absl/functional/function_ref.h"
#include "engine/base/thread_pool.h"
#include "engine/gemm/blocking.h"
#include "engine/gemm/packed_b.h"
#include "engine/kernels/kernel_table.h"

namespace rml {

// A part of B to be written: panel[k * ld + j] = B[k0 + k, j0 + j] for k < kc, j < n. The rest of the panel is not
// touched by the filler.
struct PanelRequest {
  int64_t k0, kc;
  int64_t j0, n;
  float* panel;
  int64_t ld;
};

// Makes B on the fly (a convolution's patches, say). Called on any thread of the product, perhaps more than once for a
// part. Not owned.
using PanelFiller = absl::FunctionRef<void(const PanelRequest& request)>;

// B of a product. Views: what they point at stays alive for the call.
using GemmB = std::variant<const PackedB*, StridedMatrix, PanelFiller>;

// Views, not owned; nullptr means none. `activation` runs over each row of a tile while it is in L1.
struct GemmEpilogue {
  const float* col_bias = nullptr;  // N
  const float* row_bias = nullptr;  // M
  const float* addend = nullptr;    // [M, N]; may not overlap C
  int64_t ld_addend = 0;            // elements between row starts; 0 repeats one row
  UnaryFn activation = nullptr;
};

// All counts and strides in elements. C must not overlap A, B or addend.
struct GemmArgs {
  int64_t M = 0, N = 0, K = 0;
  StridedMatrix A = {};  // one of the strides may be anything >= 0, 1 is fastest for col_stride
  float* C = nullptr;
  int64_t ldc = 0;  // >= N
  GemmEpilogue epilogue = {};
};

// Threads to use: at most `width`, the caller among them. pool may be nullptr when width is 1.
struct GemmThreads {
  ThreadPool* pool = nullptr;
  int width = 1;
};

// Floats of scratch that a product of this size needs with at most `width` threads, for any A and epilogue.
int64_t GemmScratchFloats(const KernelTable& kernels, GemmBForm form, int64_t M, int64_t N, int64_t K, int width = 1);

// `scratch` holds at least GemmScratchFloats() floats, 64-byte aligned for speed; nullptr if that is 0. A PackedB must
// have been packed for the same `kernels`, with the same K and N.
// Errors: none; shapes are checked when the step is compiled. Threads: safe to call concurrently if each call has its
// own C and scratch. Allocates nothing and starts no threads.
void Gemm(const KernelTable& kernels, const GemmArgs& args, const GemmB& B, float* scratch, GemmThreads threads = {});

// Many small products in one parallel region: product i < count is what problem(i) returns, and runs on one thread.
// `scratch` holds scratch_floats for each of `threads.width` threads: the largest GemmScratchFloats(..., 1) among them,
// rounded up to a multiple of 16.
struct GemmProblem {
  GemmArgs args;
  GemmB B;
};
void GemmBatch(const KernelTable& kernels, int64_t count, absl::FunctionRef<GemmProblem(int64_t i)> problem,
               float* scratch, int64_t scratch_floats, GemmThreads threads = {});

}  // namespace rml
