// The kernels of the avx512 set: shared sources over this folder's vector type.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/avx512/register.h"
#include "engine/kernels/avx512/vec.h"
#include "engine/kernels/kernel_table.h"

namespace rml {
namespace {

#include "engine/kernels/shared/gemm.inc"
#include "engine/kernels/shared/kernels.inc"

}  // namespace

extern const KernelTable kAvx512Kernels;
const KernelTable kAvx512Kernels = {
    .isa = "avx512",
    .gemm = kGemm,
#include "engine/kernels/shared/table.inc"
};

}  // namespace rml
