// The kernels of one instruction set: plain data, one constant instance per set. Includes <cstdint> only, because the
// files that are compiled with ISA flags include it.
//
// All sets give the same bits for every entry and every length, tails included, with flush-to-zero and
// denormals-are-zero set (engine/kernels/denormals.h). Any NaN counts as equal to any NaN.
// n is a number of elements, n == 0 is a no-op unless said. No alignment is needed beyond 4 bytes; 64 is faster.
// y may be the same pointer as an input, but may not overlap one otherwise. No kernel allocates, locks or fails.
#pragma once

#include <cstdint>

namespace rml {

using UnaryFn = void (*)(const float* x, int64_t n, float* y);  // y[i] = f(x[i])

// y[i] = f(a[i], b[i]), f(a[i], b) and f(a, b[i]).
struct BinaryFns {
  void (*vv)(const float* a, const float* b, int64_t n, float* y);
  void (*vs)(const float* a, float b, int64_t n, float* y);
  void (*sv)(float a, const float* b, int64_t n, float* y);
};

// y[i] = c[i] != 0 ? a[i] : b[i]; a NaN in c is nonzero. Elements are copied bit by bit, so f32 or i32 data will do.
struct WhereFns {
  void (*vv)(const float* c, const float* a, const float* b, int64_t n, float* y);
  void (*vs)(const float* c, const float* a, float b, int64_t n, float* y);
  void (*sv)(const float* c, float a, const float* b, int64_t n, float* y);
  void (*ss)(const float* c, float a, float b, int64_t n, float* y);
};

// One tile of C[m, n]: acc[i, j] = sum over k ascending of fma(A[i, k], B[k, j], acc) from 0, then
//   first block:  C = acc        later blocks:  C = C + acc
//   last block, in this order:   + col_bias[j]   + row_bias[i]   + addend[i, j]
// in registers. kc == 0 gives acc = 0. The caller cuts K into blocks of kGemmBlockK, which is the rounding contract.
struct TileArgs {
  const float* a;  // A[i, k] = a[i * a_row_stride + k * a_k_stride]: row-major in place, transposed, or packed
  int64_t a_row_stride;
  int64_t a_k_stride;
  const float* b;  // B[k, j] = b[k * b_k_stride + j]; nr floats are read per k, whatever n is
  int64_t b_k_stride;
  int64_t b_panel_stride;  // m == 1 only: column j is in the panel at b + j / nr * b_panel_stride
  float* c;                // C[i, j] = c[i * ldc + j]; nothing outside m x n is read or written
  int64_t ldc;
  int64_t kc;
  int m, n;  // 1 <= m <= mr, 1 <= n <= nr; a single row spans up to row_panels panels: n <= row_panels * nr
  bool first, last;
  const float* col_bias;  // n, or nullptr
  const float* row_bias;  // m, or nullptr
  const float* addend;    // addend[i * ld_addend + j], or nullptr
  int64_t ld_addend;
  const char* prefetch;   // read soon: asked for at one address a k, bytes prefetch_step apart
  int64_t prefetch_step;  // 0 where there is nothing to ask for; any address will do, as nothing is read
};

// mr and nr travel with the function, so packing and kernel cannot disagree. nr is a multiple of 16, at most kMaxNr.
struct MicroKernel {
  int mr, nr;
  int row_panels;
  void (*run)(const TileArgs& args);
};

inline constexpr int64_t kGemmBlockK = 256;
inline constexpr int kMaxMr = 16;
inline constexpr int kMaxNr = 64;

struct KernelTable {
  const char* isa;  // "portable", "avx2", "avx512"

  MicroKernel gemm;

  // Exact or correctly rounded. relu: NaN stays NaN, -0 stays -0. neg and abs touch the sign bit only.
  UnaryFn neg, abs, relu, sqrt;
  UnaryFn reciprocal;               // 1 / x
  UnaryFn rsqrt;                    // 1 / sqrt(x), two roundings
  UnaryFn floor, ceil, round_even;  // whole numbers; ties to even; -0 stays -0 and comes of what rounds to 0 from below
  UnaryFn sign;                     // 1, -1, a zero of x's sign, or NaN
  UnaryFn square;                   // x * x:       pow(x, 2)
  UnaryFn cube;                     // (x * x) * x: pow(x, 3)
  // As powers 0.5, -0.5 and -1 stand sqrt, rsqrt and reciprocal; the first two differ from pow at -0 and -inf.
  // Within 2 ulp of the exact value over the whole range of float32; results below 2^-126 are 0.
  UnaryFn exp, log;
  UnaryFn expm1, log1p;  // exp(x) - 1 and log(1 + x), near 0 too; -0 at -0
  UnaryFn sin, cos;      // any finite argument, reduced exactly; inf gives NaN
  UnaryFn tanh, erf;     // reach exactly +-1
  UnaryFn erfc;          // 1 - erf(x): within 1e-5 relative up to where it is below 2^-126
  UnaryFn sigmoid;       // 1 / (1 + exp(-x)), in [0, 1]
  UnaryFn gelu;          // x * Phi(x), the tail from erfc: within 1e-5 relative down to x = -10
  UnaryFn gelu_tanh;     // 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), same bounds

  BinaryFns add, sub, mul, div;      // correctly rounded
  BinaryFns maximum, minimum;        // NaN if either is; of two zeros the second
  BinaryFns pow;                     // IEEE 754 pow, within 1 ulp
  BinaryFns remainder;               // C's fmod, exact: the sign of a; NaN where a is infinite or b is 0
  BinaryFns floor_div;               // floor(a / b), the quotient exact; from 2^48 on a / b; NaN where a is infinite
  BinaryFns eq, ne, lt, le, gt, ge;  // 1 or 0; with a NaN only ne is 1
  WhereFns where;
  // y = min(max(x, lo), hi); NaN stays NaN; lo > hi gives hi. -inf and +inf bound nothing.
  void (*clamp)(const float* x, int64_t n, float lo, float hi, float* y);

  // Rows of n elements. Element j belongs to lane j % 16. A lane sums at most 64 terms in f32 before going to f64;
  // the sixteen f64 lanes are combined by a fixed tree, and what follows up to the result is f64.
  // softmax: exp(x - max) / sum. A row with a NaN, a +inf or nothing but -inf gives NaN everywhere.
  void (*softmax_row)(const float* x, int64_t n, float* y);
  void (*log_softmax_row)(const float* x, int64_t n, float* y);  // (x - max) - log(sum)
  // y = (x - mean) / sqrt(var + eps) * weight + bias; mean and var in f64, two passes. weight and bias: n, or nullptr.
  void (*layer_norm_row)(const float* x, int64_t n, float eps, const float* weight, const float* bias, float* y);
  float (*sum_row)(const float* x, int64_t n);   // n == 0: 0
  float (*mean_row)(const float* x, int64_t n);  // n == 0: NaN
  float (*prod_row)(const float* x, int64_t n);  // lanes in f64; n == 0: 1
  float (*max_row)(const float* x, int64_t n);   // NaN if any is; n == 0: -inf
  float (*min_row)(const float* x, int64_t n);   // NaN if any is; n == 0: +inf

  // y[j * ldy + i] = x[i * ldx + j] for i < rows, j < cols, bit by bit. y must not overlap x.
  void (*transpose)(const float* x, int64_t rows, int64_t cols, int64_t ldx, float* y, int64_t ldy);

  // scores = softmax(scores * scale + mask), the weights of attention. mask: n, or one value if it repeats, or nullptr. A
  // row of nothing but -inf, and an empty one, has no weights: zeros.
  void (*attention_row)(float* scores, int64_t n, float scale, const float* mask, bool mask_repeats);
};

}  // namespace rml
