// Sixteen f32 lanes in two registers. Operations as in avx512/vec.h. Inside an anonymous namespace.
#pragma once

#include <immintrin.h>

#include <cstdint>

#define RML_INLINE inline __attribute__((always_inline))

namespace rml {
namespace {

constexpr int kLanes = 16;

struct F {
  __m256 a, b;
};
struct I {
  __m256i a, b;
};
struct M {
  __m256 a, b;
};
struct D {
  __m256d a, b;
};

alignas(64) constexpr int32_t kLaneMask[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

// The mask of lanes [first, first + 8) that are below n <= 16.
RML_INLINE __m256i LanesBelow(int64_t n, int first) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kLaneMask + 16 - n + first));
}

RML_INLINE F Set(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
RML_INLINE F Load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
RML_INLINE void Store(float* p, F x) {
  _mm256_storeu_ps(p, x.a);
  _mm256_storeu_ps(p + 8, x.b);
}
RML_INLINE F LoadN(const float* p, int64_t n, float fill) {
  const __m256i low = LanesBelow(n, 0), high = LanesBelow(n, 8);
  const __m256 other = _mm256_set1_ps(fill);
  return {_mm256_blendv_ps(other, _mm256_maskload_ps(p, low), _mm256_castsi256_ps(low)),
          _mm256_blendv_ps(other, _mm256_maskload_ps(p + 8, high), _mm256_castsi256_ps(high))};
}
RML_INLINE void StoreN(float* p, int64_t n, F x) {
  _mm256_maskstore_ps(p, LanesBelow(n, 0), x.a);
  _mm256_maskstore_ps(p + 8, LanesBelow(n, 8), x.b);
}

RML_INLINE F FirstN(F x, int64_t n, float fill) {
  const __m256 other = _mm256_set1_ps(fill);
  return {_mm256_blendv_ps(other, x.a, _mm256_castsi256_ps(LanesBelow(n, 0))),
          _mm256_blendv_ps(other, x.b, _mm256_castsi256_ps(LanesBelow(n, 8)))};
}

RML_INLINE F operator+(F x, F y) { return {_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)}; }
RML_INLINE F operator-(F x, F y) { return {_mm256_sub_ps(x.a, y.a), _mm256_sub_ps(x.b, y.b)}; }
RML_INLINE F operator*(F x, F y) { return {_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)}; }
RML_INLINE F operator/(F x, F y) { return {_mm256_div_ps(x.a, y.a), _mm256_div_ps(x.b, y.b)}; }
RML_INLINE F Fma(F x, F y, F z) { return {_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)}; }
RML_INLINE F Sqrt(F x) { return {_mm256_sqrt_ps(x.a), _mm256_sqrt_ps(x.b)}; }
RML_INLINE F Max(F x, F y) { return {_mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b)}; }
RML_INLINE F Min(F x, F y) { return {_mm256_min_ps(x.a, y.a), _mm256_min_ps(x.b, y.b)}; }

RML_INLINE I Bits(F x) { return {_mm256_castps_si256(x.a), _mm256_castps_si256(x.b)}; }
RML_INLINE F FromBits(I x) { return {_mm256_castsi256_ps(x.a), _mm256_castsi256_ps(x.b)}; }
RML_INLINE I SetI(int32_t x) { return {_mm256_set1_epi32(x), _mm256_set1_epi32(x)}; }
RML_INLINE I operator-(I x, I y) { return {_mm256_sub_epi32(x.a, y.a), _mm256_sub_epi32(x.b, y.b)}; }
RML_INLINE I operator&(I x, I y) { return {_mm256_and_si256(x.a, y.a), _mm256_and_si256(x.b, y.b)}; }
RML_INLINE I operator|(I x, I y) { return {_mm256_or_si256(x.a, y.a), _mm256_or_si256(x.b, y.b)}; }
RML_INLINE I operator^(I x, I y) { return {_mm256_xor_si256(x.a, y.a), _mm256_xor_si256(x.b, y.b)}; }
RML_INLINE I ShiftLeft23(I x) { return {_mm256_slli_epi32(x.a, 23), _mm256_slli_epi32(x.b, 23)}; }
RML_INLINE I ShiftRight23(I x) { return {_mm256_srai_epi32(x.a, 23), _mm256_srai_epi32(x.b, 23)}; }
RML_INLINE F ToFloat(I x) { return {_mm256_cvtepi32_ps(x.a), _mm256_cvtepi32_ps(x.b)}; }
RML_INLINE F AddExponent(F p, F t) {
  const I x = Bits(p), n = ShiftLeft23(Bits(t));
  return FromBits({_mm256_add_epi32(x.a, n.a), _mm256_add_epi32(x.b, n.b)});
}

RML_INLINE __m256 ScaleExp8(__m256 x, __m256 scaled, __m256 least) {
  const __m256 kept = _mm256_and_ps(scaled, _mm256_cmp_ps(x, least, _CMP_NLT_UQ));
  return _mm256_or_ps(kept, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}
RML_INLINE F ScaleExp(F x, F p, F /*n*/, F t, float least) {
  const F scaled = AddExponent(p, t);
  const __m256 limit = _mm256_set1_ps(least);
  return {ScaleExp8(x.a, scaled.a, limit), ScaleExp8(x.b, scaled.b, limit)};
}
RML_INLINE float MaxOfLanes(F x) {
  const __m256 eight = _mm256_max_ps(x.a, x.b);
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}

RML_INLINE M Less(F x, F y) { return {_mm256_cmp_ps(x.a, y.a, _CMP_LT_OQ), _mm256_cmp_ps(x.b, y.b, _CMP_LT_OQ)}; }
RML_INLINE M LessEq(F x, F y) { return {_mm256_cmp_ps(x.a, y.a, _CMP_LE_OQ), _mm256_cmp_ps(x.b, y.b, _CMP_LE_OQ)}; }
RML_INLINE M Equal(F x, F y) { return {_mm256_cmp_ps(x.a, y.a, _CMP_EQ_OQ), _mm256_cmp_ps(x.b, y.b, _CMP_EQ_OQ)}; }
RML_INLINE M NotEqual(F x, F y) { return {_mm256_cmp_ps(x.a, y.a, _CMP_NEQ_UQ), _mm256_cmp_ps(x.b, y.b, _CMP_NEQ_UQ)}; }
RML_INLINE M operator&(M x, M y) { return {_mm256_and_ps(x.a, y.a), _mm256_and_ps(x.b, y.b)}; }
RML_INLINE M operator|(M x, M y) { return {_mm256_or_ps(x.a, y.a), _mm256_or_ps(x.b, y.b)}; }
RML_INLINE bool Any(M x) { return (_mm256_movemask_ps(x.a) | _mm256_movemask_ps(x.b)) != 0; }
RML_INLINE F Select(M m, F x, F y) { return {_mm256_blendv_ps(y.a, x.a, m.a), _mm256_blendv_ps(y.b, x.b, m.b)}; }

RML_INLINE D SetD(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
RML_INLINE D Widen(__m256 x) {
  return {_mm256_cvtps_pd(_mm256_castps256_ps128(x)), _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))};
}
RML_INLINE D Low(F x) { return Widen(x.a); }
RML_INLINE D High(F x) { return Widen(x.b); }
RML_INLINE F Narrow(D low, D high) {
  return {_mm256_set_m128(_mm256_cvtpd_ps(low.b), _mm256_cvtpd_ps(low.a)),
          _mm256_set_m128(_mm256_cvtpd_ps(high.b), _mm256_cvtpd_ps(high.a))};
}
RML_INLINE void StoreD(double* p, D x) {
  _mm256_storeu_pd(p, x.a);
  _mm256_storeu_pd(p + 4, x.b);
}
RML_INLINE D operator+(D x, D y) { return {_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)}; }
RML_INLINE D operator-(D x, D y) { return {_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)}; }
RML_INLINE D operator*(D x, D y) { return {_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)}; }
RML_INLINE D operator/(D x, D y) { return {_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)}; }
RML_INLINE D Fma(D x, D y, D z) { return {_mm256_fmadd_pd(x.a, y.a, z.a), _mm256_fmadd_pd(x.b, y.b, z.b)}; }
RML_INLINE D Max(D x, D y) { return {_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)}; }
RML_INLINE D Min(D x, D y) { return {_mm256_min_pd(x.a, y.a), _mm256_min_pd(x.b, y.b)}; }
RML_INLINE __m256d AddExponent4(__m256d p, __m256d t) {
  return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(p), _mm256_slli_epi64(_mm256_castpd_si256(t), 52)));
}
RML_INLINE D AddExponent(D p, D t) { return {AddExponent4(p.a, t.a), AddExponent4(p.b, t.b)}; }

}  // namespace
}  // namespace rml
