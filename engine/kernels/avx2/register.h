// One register of f32 lanes, for the GEMM micro-kernel. Inside an anonymous namespace.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/avx2/vec.h"

namespace rml {
namespace {

using Reg = __m256;
constexpr int kRegLanes = 8;
constexpr int kMr = 6;  // 6 x 2 accumulators, 2 of B and one of A: 15 of 16 registers

RML_INLINE Reg RegZero() { return _mm256_setzero_ps(); }
RML_INLINE Reg RegSet(float x) { return _mm256_set1_ps(x); }
RML_INLINE Reg RegLoad(const float* p) { return _mm256_loadu_ps(p); }
RML_INLINE void RegStore(float* p, Reg x) { _mm256_storeu_ps(p, x); }
RML_INLINE Reg RegAdd(Reg a, Reg b) { return _mm256_add_ps(a, b); }
RML_INLINE Reg RegFma(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }

// The lanes below n, which may be negative or beyond the register.
using RegMask = __m256i;
RML_INLINE RegMask MaskBelow(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
RML_INLINE Reg RegLoad(const float* p, RegMask m) { return _mm256_maskload_ps(p, m); }
RML_INLINE void RegStore(float* p, RegMask m, Reg x) { _mm256_maskstore_ps(p, m, x); }

}  // namespace
}  // namespace rml
