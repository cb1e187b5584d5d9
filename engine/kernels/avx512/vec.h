// Sixteen f32 lanes in one register, and the operations that every kernel is written with. Each set of instructions has
// its own vec.h with these names and the same bits. Inside an anonymous namespace, so that no function compiled for this
// set can be linked into code for older CPUs.
//
//   F, I, M, D       16 x f32, 16 x i32, a mask of 16, 8 x f64
//   Max, Min         the second operand if either is NaN or both are zero
//   LoadN, StoreN    the first n < 16 lanes; the others are `fill`, or left alone
//   FirstN           the first n < 16 lanes of a register, the others `fill`
//   AddExponent(p, t)  p * 2^n by integer addition, for t = n + 1.5 * 2^23 (f64: 1.5 * 2^52); no check for overflow
//   ScaleExp(x, p, n, t, least)  the end of exp(x): p * 2^n; 0 where x < least, NaN where x is NaN; the same t
//   MaxOfLanes(x)    the largest lane; anything if one is NaN
//   Select(m, a, b)  m ? a : b, bit by bit
//   Low, High        lanes 0-7 and 8-15 in f64; Narrow rounds back
#pragma once

#include <immintrin.h>

#include <cstdint>

#define RML_INLINE inline __attribute__((always_inline))

namespace rml {
namespace {

constexpr int kLanes = 16;

struct F {
  __m512 v;
};
struct I {
  __m512i v;
};
struct M {
  __mmask16 v;
};
struct D {
  __m512d v;
};

RML_INLINE __mmask16 FirstLanes(int64_t n) { return static_cast<__mmask16>((1u << n) - 1); }

RML_INLINE F Set(float x) { return {_mm512_set1_ps(x)}; }
RML_INLINE F Load(const float* p) { return {_mm512_loadu_ps(p)}; }
RML_INLINE void Store(float* p, F x) { _mm512_storeu_ps(p, x.v); }
RML_INLINE F LoadN(const float* p, int64_t n, float fill) {
  return {_mm512_mask_loadu_ps(_mm512_set1_ps(fill), FirstLanes(n), p)};
}
RML_INLINE void StoreN(float* p, int64_t n, F x) { _mm512_mask_storeu_ps(p, FirstLanes(n), x.v); }
RML_INLINE F FirstN(F x, int64_t n, float fill) {
  return {_mm512_mask_blend_ps(FirstLanes(n), _mm512_set1_ps(fill), x.v)};
}

RML_INLINE F operator+(F a, F b) { return {_mm512_add_ps(a.v, b.v)}; }
RML_INLINE F operator-(F a, F b) { return {_mm512_sub_ps(a.v, b.v)}; }
RML_INLINE F operator*(F a, F b) { return {_mm512_mul_ps(a.v, b.v)}; }
RML_INLINE F operator/(F a, F b) { return {_mm512_div_ps(a.v, b.v)}; }
RML_INLINE F Fma(F a, F b, F c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
RML_INLINE F Sqrt(F a) { return {_mm512_sqrt_ps(a.v)}; }
RML_INLINE F Max(F a, F b) { return {_mm512_max_ps(a.v, b.v)}; }
RML_INLINE F Min(F a, F b) { return {_mm512_min_ps(a.v, b.v)}; }

RML_INLINE I Bits(F a) { return {_mm512_castps_si512(a.v)}; }
RML_INLINE F FromBits(I a) { return {_mm512_castsi512_ps(a.v)}; }
RML_INLINE I SetI(int32_t x) { return {_mm512_set1_epi32(x)}; }
RML_INLINE I operator-(I a, I b) { return {_mm512_sub_epi32(a.v, b.v)}; }
RML_INLINE I operator&(I a, I b) { return {_mm512_and_si512(a.v, b.v)}; }
RML_INLINE I operator|(I a, I b) { return {_mm512_or_si512(a.v, b.v)}; }
RML_INLINE I operator^(I a, I b) { return {_mm512_xor_si512(a.v, b.v)}; }
RML_INLINE I ShiftLeft23(I a) { return {_mm512_slli_epi32(a.v, 23)}; }
RML_INLINE I ShiftRight23(I a) { return {_mm512_srai_epi32(a.v, 23)}; }
RML_INLINE F ToFloat(I a) { return {_mm512_cvtepi32_ps(a.v)}; }
RML_INLINE F AddExponent(F p, F t) {
  return {_mm512_castsi512_ps(_mm512_add_epi32(Bits(p).v, _mm512_slli_epi32(Bits(t).v, 23)))};
}

RML_INLINE F ScaleExp(F x, F p, F n, F /*t*/, float least) {
  return {_mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(x.v, _mm512_set1_ps(least), _CMP_NLT_UQ), p.v, n.v)};
}
RML_INLINE float MaxOfLanes(F a) { return _mm512_reduce_max_ps(a.v); }

RML_INLINE M Less(F a, F b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)}; }
RML_INLINE M LessEq(F a, F b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ)}; }
RML_INLINE M Equal(F a, F b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_EQ_OQ)}; }
RML_INLINE M NotEqual(F a, F b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_NEQ_UQ)}; }
RML_INLINE M operator&(M a, M b) { return {static_cast<__mmask16>(a.v & b.v)}; }
RML_INLINE M operator|(M a, M b) { return {static_cast<__mmask16>(a.v | b.v)}; }
RML_INLINE bool Any(M a) { return a.v != 0; }
RML_INLINE F Select(M m, F a, F b) { return {_mm512_mask_blend_ps(m.v, b.v, a.v)}; }

RML_INLINE D SetD(double x) { return {_mm512_set1_pd(x)}; }
RML_INLINE D Low(F a) { return {_mm512_cvtps_pd(_mm512_castps512_ps256(a.v))}; }
RML_INLINE D High(F a) { return {_mm512_cvtps_pd(_mm512_extractf32x8_ps(a.v, 1))}; }
RML_INLINE F Narrow(D low, D high) {
  return {_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low.v)), _mm512_cvtpd_ps(high.v), 1)};
}
RML_INLINE void StoreD(double* p, D x) { _mm512_storeu_pd(p, x.v); }
RML_INLINE D operator+(D a, D b) { return {_mm512_add_pd(a.v, b.v)}; }
RML_INLINE D operator-(D a, D b) { return {_mm512_sub_pd(a.v, b.v)}; }
RML_INLINE D operator*(D a, D b) { return {_mm512_mul_pd(a.v, b.v)}; }
RML_INLINE D operator/(D a, D b) { return {_mm512_div_pd(a.v, b.v)}; }
RML_INLINE D Fma(D a, D b, D c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
RML_INLINE D Max(D a, D b) { return {_mm512_max_pd(a.v, b.v)}; }
RML_INLINE D Min(D a, D b) { return {_mm512_min_pd(a.v, b.v)}; }
RML_INLINE D AddExponent(D p, D t) {
  return {
      _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(p.v), _mm512_slli_epi64(_mm512_castpd_si512(t.v), 52)))};
}

}  // namespace
}  // namespace rml
