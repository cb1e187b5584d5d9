// The kernels of the avx2 set: shared sources over this folder's vector type.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/avx2/register.h"
#include "engine/kernels/avx2/vec.h"
#include "engine/kernels/kernel_table.h"

namespace rml {
namespace {

#include "engine/kernels/shared/gemm.inc"
#include "engine/kernels/shared/kernels.inc"

}  // namespace

extern const KernelTable kAvx2Kernels;
const KernelTable kAvx2Kernels = {
    .isa = "avx2",
    .gemm = kGemm,
#include "engine/kernels/shared/table.inc"
};

}  // namespace rml
