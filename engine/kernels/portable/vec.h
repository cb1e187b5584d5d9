// Sixteen f32 lanes in plain C++: the yardstick whose bits the other sets must give, and the path for other machines.
// Operations as in avx512/vec.h, where each is one instruction. Inside an anonymous namespace.
#pragma once

#include <immintrin.h>

#include <cstdint>

#define RML_INLINE inline  // forced inlining would take minutes to compile and save little

namespace rml {
namespace {

constexpr int kLanes = 16;

struct F {
  float v[16];
};
struct I {
  int32_t v[16];
};
struct M {
  bool v[16];
};
struct D {
  double v[8];
};

#define RML_LANES(count) for (int i = 0; i < (count); ++i)

RML_INLINE F Set(float x) {
  F r;
  RML_LANES(16) r.v[i] = x;
  return r;
}
RML_INLINE F Load(const float* p) {
  F r;
  RML_LANES(16) r.v[i] = p[i];
  return r;
}
RML_INLINE void Store(float* p, F x) { RML_LANES(16) p[i] = x.v[i]; }
RML_INLINE F LoadN(const float* p, int64_t n, float fill) {
  F r;
  RML_LANES(16) r.v[i] = i < n ? p[i] : fill;
  return r;
}
RML_INLINE void StoreN(float* p, int64_t n, F x) { RML_LANES(16) if (i < n) p[i] = x.v[i]; }
RML_INLINE F FirstN(F x, int64_t n, float fill) {
  RML_LANES(16) x.v[i] = i < n ? x.v[i] : fill;
  return x;
}

RML_INLINE F operator+(F a, F b) {
  RML_LANES(16) a.v[i] = a.v[i] + b.v[i];
  return a;
}
RML_INLINE F operator-(F a, F b) {
  RML_LANES(16) a.v[i] = a.v[i] - b.v[i];
  return a;
}
RML_INLINE F operator*(F a, F b) {
  RML_LANES(16) a.v[i] = a.v[i] * b.v[i];
  return a;
}
RML_INLINE F operator/(F a, F b) {
  RML_LANES(16) a.v[i] = a.v[i] / b.v[i];
  return a;
}
RML_INLINE F Fma(F a, F b, F c) {
  RML_LANES(16) a.v[i] = __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
  return a;
}
// The single-lane instructions: a compiler's square root would call libm for negative numbers, and its choice between
// min, max and compare-and-blend would decide what becomes of a subnormal number.
RML_INLINE F Sqrt(F a) {
  RML_LANES(16) a.v[i] = _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a.v[i])));
  return a;
}
RML_INLINE F Max(F a, F b) {
  RML_LANES(16) a.v[i] = _mm_cvtss_f32(_mm_max_ss(_mm_set_ss(a.v[i]), _mm_set_ss(b.v[i])));
  return a;
}
RML_INLINE F Min(F a, F b) {
  RML_LANES(16) a.v[i] = _mm_cvtss_f32(_mm_min_ss(_mm_set_ss(a.v[i]), _mm_set_ss(b.v[i])));
  return a;
}

RML_INLINE I Bits(F a) { return __builtin_bit_cast(I, a); }
RML_INLINE F FromBits(I a) { return __builtin_bit_cast(F, a); }
RML_INLINE I SetI(int32_t x) {
  I r;
  RML_LANES(16) r.v[i] = x;
  return r;
}
RML_INLINE I operator-(I a, I b) {
  RML_LANES(16) a.v[i] = static_cast<int32_t>(static_cast<uint32_t>(a.v[i]) - static_cast<uint32_t>(b.v[i]));
  return a;
}
RML_INLINE I operator&(I a, I b) {
  RML_LANES(16) a.v[i] &= b.v[i];
  return a;
}
RML_INLINE I operator|(I a, I b) {
  RML_LANES(16) a.v[i] |= b.v[i];
  return a;
}
RML_INLINE I operator^(I a, I b) {
  RML_LANES(16) a.v[i] ^= b.v[i];
  return a;
}
RML_INLINE I ShiftLeft23(I a) {
  RML_LANES(16) a.v[i] = static_cast<int32_t>(static_cast<uint32_t>(a.v[i]) << 23);
  return a;
}
RML_INLINE I ShiftRight23(I a) {
  RML_LANES(16) a.v[i] = a.v[i] >> 23;
  return a;
}
RML_INLINE F ToFloat(I a) {
  F r;
  RML_LANES(16) r.v[i] = static_cast<float>(a.v[i]);
  return r;
}
RML_INLINE F AddExponent(F p, F t) {
  I r = Bits(p);
  const I n = ShiftLeft23(Bits(t));
  RML_LANES(16) r.v[i] = static_cast<int32_t>(static_cast<uint32_t>(r.v[i]) + static_cast<uint32_t>(n.v[i]));
  return FromBits(r);
}

RML_INLINE F ScaleExp(F x, F p, F /*n*/, F t, float least) {
  F r = AddExponent(p, t);
  RML_LANES(16) r.v[i] = x.v[i] < least ? 0.0f : x.v[i] != x.v[i] ? x.v[i] : r.v[i];
  return r;
}
RML_INLINE float MaxOfLanes(F a) {
  float r = a.v[0];
  RML_LANES(16) r = a.v[i] > r ? a.v[i] : r;
  return r;
}

RML_INLINE M Less(F a, F b) {
  M r;
  RML_LANES(16) r.v[i] = a.v[i] < b.v[i];
  return r;
}
RML_INLINE M LessEq(F a, F b) {
  M r;
  RML_LANES(16) r.v[i] = a.v[i] <= b.v[i];
  return r;
}
RML_INLINE M Equal(F a, F b) {
  M r;
  RML_LANES(16) r.v[i] = a.v[i] == b.v[i];
  return r;
}
RML_INLINE M NotEqual(F a, F b) {
  M r;
  RML_LANES(16) r.v[i] = a.v[i] != b.v[i];
  return r;
}
RML_INLINE M operator&(M a, M b) {
  RML_LANES(16) a.v[i] = a.v[i] && b.v[i];
  return a;
}
RML_INLINE M operator|(M a, M b) {
  RML_LANES(16) a.v[i] = a.v[i] || b.v[i];
  return a;
}
RML_INLINE bool Any(M a) {
  bool r = false;
  RML_LANES(16) r = r || a.v[i];
  return r;
}
RML_INLINE F Select(M m, F a, F b) {
  I r = Bits(b);
  const I x = Bits(a);
  RML_LANES(16) r.v[i] = m.v[i] ? x.v[i] : r.v[i];
  return FromBits(r);
}

RML_INLINE D SetD(double x) {
  D r;
  RML_LANES(8) r.v[i] = x;
  return r;
}
RML_INLINE D Low(F a) {
  D r;
  RML_LANES(8) r.v[i] = a.v[i];
  return r;
}
RML_INLINE D High(F a) {
  D r;
  RML_LANES(8) r.v[i] = a.v[8 + i];
  return r;
}
RML_INLINE F Narrow(D low, D high) {
  F r;
  RML_LANES(8) r.v[i] = static_cast<float>(low.v[i]);
  RML_LANES(8) r.v[8 + i] = static_cast<float>(high.v[i]);
  return r;
}
RML_INLINE void StoreD(double* p, D x) { RML_LANES(8) p[i] = x.v[i]; }
RML_INLINE D operator+(D a, D b) {
  RML_LANES(8) a.v[i] = a.v[i] + b.v[i];
  return a;
}
RML_INLINE D operator-(D a, D b) {
  RML_LANES(8) a.v[i] = a.v[i] - b.v[i];
  return a;
}
RML_INLINE D operator*(D a, D b) {
  RML_LANES(8) a.v[i] = a.v[i] * b.v[i];
  return a;
}
RML_INLINE D operator/(D a, D b) {
  RML_LANES(8) a.v[i] = a.v[i] / b.v[i];
  return a;
}
RML_INLINE D Fma(D a, D b, D c) {
  RML_LANES(8) a.v[i] = __builtin_fma(a.v[i], b.v[i], c.v[i]);
  return a;
}
RML_INLINE D Max(D a, D b) {
  RML_LANES(8) a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
  return a;
}
RML_INLINE D Min(D a, D b) {
  RML_LANES(8) a.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
  return a;
}
RML_INLINE D AddExponent(D p, D t) {
  struct Words {
    uint64_t v[8];
  };
  Words r = __builtin_bit_cast(Words, p);
  const Words n = __builtin_bit_cast(Words, t);
  RML_LANES(8) r.v[i] += n.v[i] << 52;
  return __builtin_bit_cast(D, r);
}

#undef RML_LANES

}  // namespace
}  // namespace rml
