// Flush-to-zero and denormals-are-zero for a scope: subnormal numbers count as zeros, so that time does not depend on
// values. The engine's bits are defined under this mode.
#pragma once

#include <xmmintrin.h>

namespace rml {

// Sets both modes for the calling thread and restores the thread's MXCSR on destruction.
class ScopedFlushDenormals {
 public:
  ScopedFlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero); }
  ~ScopedFlushDenormals() { _mm_setcsr(saved_); }
  ScopedFlushDenormals(const ScopedFlushDenormals&) = delete;
  ScopedFlushDenormals& operator=(const ScopedFlushDenormals&) = delete;

 private:
  static constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  unsigned saved_;
};

}  // namespace rml
