// The kernels of the avx2 set: shared sources over this folder's vector type.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/avx2/vec.h"
#include "engine/kernels/avx2/register.h"
#include "engine/kernels/kernel_table.h"

namespace rml {
namespace {

#include "engine/kernels/shared/tile.inc"
#include "engine/kernels/shared/basic.inc"
#include "engine/kernels/shared/exp_log.inc"
#include "engine/kernels/shared/trig.inc"
#include "engine/kernels/shared/erf_gelu.inc"
#include "engine/kernels/shared/pow.inc"
#include "engine/kernels/shared/rows.inc"
#include "engine/kernels/shared/layer_norm.inc"
#include "engine/kernels/shared/transpose.inc"
#include "engine/kernels/shared/gemm_finish.inc"
#include "engine/kernels/shared/gemm_tile.inc"
#include "engine/kernels/shared/gemm_row.inc"
#include "engine/kernels/shared/gemm.inc"

}  // namespace

extern const KernelTable kAvx2Kernels;
const KernelTable kAvx2Kernels = {
    .isa = "avx2", .gemm = kGemm,
#include "engine/kernels/shared/table.inc"
};

}  // namespace rml
