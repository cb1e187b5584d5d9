#include "engine/gemm/b_block.h"

#include <algorithm>

namespace rml {

BBlock::BBlock(const KernelTable& kernels, const GemmB& B, float* scratch, bool in_place)
    : kernels_(kernels), B_(B), scratch_(scratch), in_place_(in_place) {}

int64_t BBlock::ScratchFloats(const KernelTable& kernels, GemmBForm form, int64_t nc, int64_t K) {
  if (form == GemmBForm::kPacked) return 0;
  const int64_t nr = kernels.gemm.nr;
  return (nc + nr - 1) / nr * nr * std::min(K, kGemmBlockK);
}

void BBlock::Prepare(int64_t k0, int64_t kc, int64_t j0, int64_t j1) {
  k0_ = k0;
  kc_ = kc;
  packed_from_ = j0;
  if (kc == 0 || std::holds_alternative<const PackedB*>(B_)) return;
  if (in_place_) packed_from_ = j0 + (j1 - j0) / kernels_.gemm.nr * kernels_.gemm.nr;
  if (packed_from_ < j1) Pack(k0, kc, packed_from_, j1);
}

void BBlock::Pack(int64_t k0, int64_t kc, int64_t j0, int64_t j1) {
  const int64_t nr = kernels_.gemm.nr;
  for (int64_t j = j0; j < j1; j += nr) {
    float* panel = scratch_ + (j - j0) * kc;
    const int64_t n = std::min(nr, j1 - j);
    if (const auto* matrix = std::get_if<StridedMatrix>(&B_)) {
      const StridedMatrix part = {matrix->data + k0 * matrix->row_stride + j * matrix->col_stride, matrix->row_stride,
                                  matrix->col_stride};
      PackPanel(part, kc, n, nr, kernels_, panel);
      continue;
    }
    if (n < nr) {
      for (int64_t k = 0; k < kc; ++k) std::fill(panel + k * nr + n, panel + (k + 1) * nr, 0.0f);
    }
    std::get<PanelFiller>(B_)({.k0 = k0, .kc = kc, .j0 = j, .n = n, .panel = panel, .ld = nr});
  }
}

BBlock::Panels BBlock::panels(int64_t j, int64_t j_end) const {
  const int64_t nr = kernels_.gemm.nr;
  if (kc_ == 0) return {nullptr, 0, 0, j_end - j};
  if (const auto* packed = std::get_if<const PackedB*>(&B_)) {
    return {(*packed)->panel(k0_ / kGemmBlockK, j / nr), nr, kc_ * nr, j_end - j};
  }
  if (j < packed_from_) {
    const StridedMatrix& matrix = std::get<StridedMatrix>(B_);
    return {matrix.data + k0_ * matrix.row_stride + j, matrix.row_stride, nr, std::min(j_end, packed_from_) - j};
  }
  return {scratch_ + (j - packed_from_) * kc_, nr, kc_ * nr, j_end - j};
}

}  // namespace rml
