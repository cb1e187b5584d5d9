// The part of B that one k block of a chunk reads, as micro-panels, whatever form B has.
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

  // `scratch`: as many floats as ScratchFloats() says, for blocks of at most nc columns. in_place: read a row-major B
  // where it lies, but for a last narrow panel.
  BBlock(const KernelTable& kernels, const GemmB& B, float* scratch, bool in_place);

  // Makes rows [k0, k0 + kc), columns [j0, j1) ready; j0 is a multiple of nr.
  void Prepare(int64_t k0, int64_t kc, int64_t j0, int64_t j1);

  // The panels of columns from j, a multiple of nr, to j_end, in the prepared range; fewer columns where the distance
  // changes.
  Panels panels(int64_t j, int64_t j_end) const;

  static int64_t ScratchFloats(const KernelTable& kernels, GemmBForm form, int64_t nc, int64_t K);

 private:
  void Pack(int64_t k0, int64_t kc, int64_t j0, int64_t j1);

  const KernelTable& kernels_;
  const GemmB& B_;
  float* const scratch_;
  const bool in_place_;
  int64_t k0_ = 0, kc_ = 0;
  int64_t packed_from_ = 0;  // the column that scratch begins with
};

}  // namespace rml
