// The right-hand matrix of a product, rearranged once at load into the micro-panels that the micro-kernel reads.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "engine/base/buffer.h"
#include "engine/kernels/kernel_table.h"

namespace rml {

// An element (i, j) at data[i * row_stride + j * col_stride]: row-major {data, ld, 1}, transposed {data, 1, ld}.
struct StridedMatrix {
  const float* data = nullptr;
  int64_t row_stride = 0;
  int64_t col_stride = 1;
};

// B[K, N] in micro-panels. K is cut into blocks of kGemmBlockK and N into panels of nr columns; a panel holds its block's
// rows one after the other, nr floats each, with zeros past column N. Blocks follow one another, panels within a block.
// Owns its memory, 64-byte aligned. Subnormal numbers are packed as zeros. Immutable after Pack; move-only.
class PackedB {
 public:
  PackedB() = default;
  // K, N >= 0. B is read during the call only. ResourceExhausted if there is no memory for the panels.
  static absl::StatusOr<PackedB> Pack(const StridedMatrix& B, int64_t K, int64_t N, const KernelTable& kernels);

  int64_t K() const { return K_; }
  int64_t N() const { return N_; }
  int nr() const { return nr_; }
  int64_t size_bytes() const { return buffer_.size_bytes(); }

  // The panel of columns [panel * nr, panel * nr + nr) in the block of rows from k_block * kGemmBlockK.
  const float* panel(int64_t k_block, int64_t panel) const {
    const int64_t k0 = k_block * kGemmBlockK;
    const int64_t kc = K_ - k0 < kGemmBlockK ? K_ - k0 : kGemmBlockK;
    return static_cast<const float*>(buffer_.data()) + k0 * num_panels() * nr_ + panel * kc * nr_;
  }
  int64_t num_panels() const { return nr_ == 0 ? 0 : (N_ + nr_ - 1) / nr_; }

 private:
  int64_t K_ = 0, N_ = 0;
  int nr_ = 0;
  Buffer buffer_;
};

// Writes rows [0, kc) and columns [0, n) of B as one panel: panel[k * nr + j], zeros for n <= j < nr. n <= nr.
void PackPanel(const StridedMatrix& B, int64_t kc, int64_t n, int64_t nr, const KernelTable& kernels, float* panel);

}  // namespace rml
