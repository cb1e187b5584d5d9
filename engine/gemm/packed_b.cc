#include "engine/gemm/packed_b.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/base/casts.h"
#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"

namespace rml {
namespace {

// Zero for zeros and subnormal numbers, which have no exponent bits; anything else as it is.
float FlushDenormal(float x) { return (absl::bit_cast<uint32_t>(x) & 0x7f800000) == 0 ? 0.0f : x; }

}  // namespace

void PackPanel(const StridedMatrix& B, int64_t kc, int64_t n, int64_t nr, const KernelTable& kernels, float* panel) {
  if (B.col_stride == 1) {
    for (int64_t k = 0; k < kc; ++k) std::memcpy(panel + k * nr, B.data + k * B.row_stride, n * sizeof(float));
  } else if (B.row_stride == 1) {
    kernels.transpose(B.data, n, kc, B.col_stride, panel, nr);
  } else {
    for (int64_t k = 0; k < kc; ++k) {
      for (int64_t j = 0; j < n; ++j) panel[k * nr + j] = B.data[k * B.row_stride + j * B.col_stride];
    }
  }
  if (n == nr) return;
  for (int64_t k = 0; k < kc; ++k) std::fill(panel + k * nr + n, panel + (k + 1) * nr, 0.0f);
}

absl::StatusOr<PackedB> PackedB::Pack(const StridedMatrix& B, int64_t K, int64_t N, const KernelTable& kernels) {
  PackedB packed;
  packed.K_ = K;
  packed.N_ = N;
  packed.nr_ = kernels.gemm.nr;
  const int64_t num_floats = K * packed.num_panels() * packed.nr_;
  absl::StatusOr<Buffer> buffer = Buffer::Allocate(num_floats * static_cast<int64_t>(sizeof(float)));
  if (!buffer.ok()) return Annotate(buffer.status(), absl::StrFormat("packing a matrix of [%d, %d]", K, N));
  packed.buffer_ = *std::move(buffer);
  for (int64_t k0 = 0; k0 < K; k0 += kGemmBlockK) {
    const int64_t kc = std::min(kGemmBlockK, K - k0);
    for (int64_t p = 0; p < packed.num_panels(); ++p) {
      const int64_t j0 = p * packed.nr_;
      const StridedMatrix part = {B.data + k0 * B.row_stride + j0 * B.col_stride, B.row_stride, B.col_stride};
      float* panel = const_cast<float*>(packed.panel(k0 / kGemmBlockK, p));
      PackPanel(part, kc, std::min<int64_t>(packed.nr_, N - j0), packed.nr_, kernels, panel);
      for (int64_t i = 0; i < kc * packed.nr_; ++i) panel[i] = FlushDenormal(panel[i]);
    }
  }
  return packed;
}

}  // namespace rml
