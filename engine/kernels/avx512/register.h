// One register of f32 lanes, for the GEMM micro-kernel. Inside an anonymous namespace.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/avx512/vec.h"

namespace rml {
namespace {

using Reg = __m512;
constexpr int kRegLanes = 16;
constexpr int kMr = 12;  // 12 x 2 accumulators, 2 of B and one of A: 27 of 32 registers

RML_INLINE Reg RegZero() { return _mm512_setzero_ps(); }
RML_INLINE Reg RegSet(float x) { return _mm512_set1_ps(x); }
RML_INLINE Reg RegLoad(const float* p) { return _mm512_loadu_ps(p); }
RML_INLINE void RegStore(float* p, Reg x) { _mm512_storeu_ps(p, x); }
RML_INLINE Reg RegAdd(Reg a, Reg b) { return _mm512_add_ps(a, b); }
RML_INLINE Reg RegFma(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }

// The lanes below n, which may be negative or beyond the register.
using RegMask = __mmask16;
RML_INLINE RegMask MaskBelow(int n) { return static_cast<RegMask>(n <= 0 ? 0 : n >= 16 ? 0xffff : (1u << n) - 1); }
RML_INLINE Reg RegLoad(const float* p, RegMask m) { return _mm512_maskz_loadu_ps(m, p); }
RML_INLINE void RegStore(float* p, RegMask m, Reg x) { _mm512_mask_storeu_ps(p, m, x); }

}  // namespace
}  // namespace rml
