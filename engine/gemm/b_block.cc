#include "engine/gemm/b_block.h"

#include <algorithm>

namespace rml {

BBlock::BBlock(const KernelTable& kernels, const GemmB& B, float* scratch, bool in_place)
    : kernels_(kernels), B_(B), scratch_(scratch), in_place_(in_place) {}

int64_t BBlock::ScratchFloats(const KernelTable& kernels, GemmBForm form, int64_t columns, int64_t depth) {
  if (form == GemmBForm::kPacked) return 0;
  const int64_t nr = kernels.gemm.nr;
  return (columns + nr - 1) / nr * nr * depth;
}

int64_t BBlock::BlockDepth(int64_t k0) const { return std::min(kGemmBlockK, k_end_ - k0); }

float* BBlock::BlockScratch(int64_t k0) const { return scratch_ + (k0 - k_begin_) * (packed_to_ - packed_from_); }

void BBlock::Prepare(int64_t k_begin, int64_t k_end, int64_t j0, int64_t j1) {
  k_begin_ = k_begin;
  k_end_ = k_end;
  packed_from_ = j0;
  if (k_begin == k_end || std::holds_alternative<const PackedB*>(B_)) return;
  const int64_t nr = kernels_.gemm.nr;
  if (in_place_) packed_from_ = j0 + (j1 - j0) / nr * nr;
  packed_to_ = packed_from_ + (j1 - packed_from_ + nr - 1) / nr * nr;
  if (packed_from_ >= j1) return;
  for (int64_t k0 = k_begin; k0 < k_end; k0 += kGemmBlockK) {
    Pack(k0, BlockDepth(k0), packed_from_, j1, BlockScratch(k0));
  }
}

void BBlock::Pack(int64_t k0, int64_t kc, int64_t j0, int64_t j1, float* panels) {
  const int64_t nr = kernels_.gemm.nr;
  for (int64_t j = j0; j < j1; j += nr) {
    float* panel = panels + (j - j0) * kc;
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

BBlock::Panels BBlock::panels(int64_t k0, int64_t j, int64_t j_end) const {
  const int64_t nr = kernels_.gemm.nr, kc = BlockDepth(k0);
  if (kc == 0) return {nullptr, 0, 0, j_end - j};
  if (const auto* packed = std::get_if<const PackedB*>(&B_)) {
    return {(*packed)->panel(k0 / kGemmBlockK, j / nr), nr, kc * nr, j_end - j};
  }
  if (j < packed_from_) {
    const StridedMatrix& matrix = std::get<StridedMatrix>(B_);
    return {matrix.data + k0 * matrix.row_stride + j, matrix.row_stride, nr, std::min(j_end, packed_from_) - j};
  }
  return {BlockScratch(k0) + (j - packed_from_) * kc, nr, kc * nr, j_end - j};
}

}  // namespace rml
