// The kernels of the portable set: shared sources over this folder's vector type.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/kernel_table.h"
#include "engine/kernels/portable/vec.h"

namespace rml {
namespace {

#include "engine/kernels/portable/gemm_tile.inc"
#include "engine/kernels/shared/kernels.inc"

}  // namespace

extern const KernelTable kPortableKernels;
const KernelTable kPortableKernels = {
    .isa = "portable",
    .gemm = kGemm,
#include "engine/kernels/shared/table.inc"
};

}  // namespace rml
