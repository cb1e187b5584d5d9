// The kernels of the portable set: shared sources over this folder's vector type.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/portable/vec.h"
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
#include "engine/kernels/portable/gemm_tile.inc"

}  // namespace

extern const KernelTable kPortableKernels;
const KernelTable kPortableKernels = {
    .isa = "portable", .gemm = kGemm,
#include "engine/kernels/shared/table.inc"
};

}  // namespace rml
