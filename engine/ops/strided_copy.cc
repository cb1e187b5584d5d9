#include "engine/ops/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "engine/ops/chunks.h"

namespace rml {
namespace {

void CopyRun(const int32_t* source, int64_t source_stride, int64_t n, int32_t* target, int64_t target_stride) {
  if (source_stride == 1 && target_stride == 1) {
    std::memcpy(target, source, n * kElementBytes);
  } else if (source_stride == 0 && target_stride == 1) {
    std::fill_n(target, n, *source);
  } else {
    for (int64_t i = 0; i < n; ++i) target[i * target_stride] = source[i * source_stride];
  }
}

}  // namespace

void CopyStrided(const RunContext& context, const StridedWalk& walk, const int32_t* source, int32_t* target) {
  ForRows(context, walk.rows(), RowsPerChunk(walk.inner()), [&](int64_t begin, int64_t end, int) {
    auto at = walk.At(begin);
    for (int64_t row = begin; row < end; ++row, walk.Next(at)) {
      CopyRun(source + at.offsets[0], walk.inner_stride(0), walk.inner(), target + at.offsets[1], walk.inner_stride(1));
    }
  });
}

}  // namespace rml
