// The part of B that a chunk reads before it goes on to other columns, as micro-panels, whatever form B has.
#pragma once

#include <cstdint>

#include "engine/gemm/gemm.h"

namespace rml {

// Columns are counted from 0 in the whole of B; nc is a multiple of nr except at the right edge.
class BBlock {
 public:
  // Panels at equal distances, for n columns.
  struct Panels {
    const float* data;
    int64_t k_stride;
    int64_t panel_stride;
    int64_t n;
  };

  // `scratch`: as many floats as ScratchFloats() says, for at most `columns` columns and `depth` of K. in_place: read a row-major B
  // where it lies, but for a last narrow panel.
  BBlock(const KernelTable& kernels, const GemmB& B, float* scratch, bool in_place);

  // Makes rows [k_begin, k_end), columns [j0, j1) ready; k_begin is a multiple of kGemmBlockK and j0 one of nr.
  void Prepare(int64_t k_begin, int64_t k_end, int64_t j0, int64_t j1);

  // In the prepared range, the panels of the block of K that begins at k0, for columns from j, a multiple of nr, to
  // j_end; fewer columns where the distance changes.
  Panels panels(int64_t k0, int64_t j, int64_t j_end) const;

  static int64_t ScratchFloats(const KernelTable& kernels, GemmBForm form, int64_t columns, int64_t depth);

 private:
  void Pack(int64_t k0, int64_t kc, int64_t j0, int64_t j1, float* panels);
  int64_t BlockDepth(int64_t k0) const;  // kGemmBlockK, or what is left
  // Where the panels of the block at k0 begin.
  float* BlockScratch(int64_t k0) const;

  const KernelTable& kernels_;
  const GemmB& B_;
  float* const scratch_;
  const bool in_place_;
  int64_t k_begin_ = 0, k_end_ = 0;
  int64_t packed_from_ = 0, packed_to_ = 0;  // columns in scratch, the last ones rounded up to a whole panel
};

}  // namespace rml
