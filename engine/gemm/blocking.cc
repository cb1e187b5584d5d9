#include "engine/gemm/blocking.h"

#include <unistd.h>

#include <algorithm>

namespace rml {
namespace {

// Two blocks of K one after the other, while their tile of C is in L1 or L2. Of 1, 2, 4 and 8 the largest products are
// within 3 % of each other, as what C waits for is asked for in time.
constexpr int64_t kDepth = 2 * kGemmBlockK;
// What a pass reads of A, an eighth of L2 and at least 128 KiB: B and C go by in the rest. (Half of 2 MiB: AVX2 lost 12 %
// at 1024^3.) More rows a pass would read B less often, but by then that takes a small part of what memory gives.
int64_t BytesOfA(int64_t l2_bytes) { return std::max<int64_t>(l2_bytes / 8, 128 << 10); }

// Floats of B made at a time: 1 MiB for several passes, which A's parts are packed once for each of; 256 KiB for one.
constexpr int64_t kManyPassFloats = 256 << 10;
constexpr int64_t kOnePassFloats = 64 << 10;

int64_t RoundUp(int64_t x, int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

int64_t RowTiles(const MicroKernel& kernel, int64_t depth, int64_t l2_bytes) {
  const int64_t tile_bytes = static_cast<int64_t>(sizeof(float)) * depth * kernel.mr;
  return std::max<int64_t>(BytesOfA(l2_bytes) / tile_bytes, 1);
}

}  // namespace

GemmBlocking ChooseBlocking(const MicroKernel& kernel, GemmBForm form, int64_t M, int64_t N, int64_t K,
                            int64_t l2_bytes) {
  GemmBlocking blocking = {};
  blocking.depth = std::max<int64_t>(1, std::min(K, kDepth));
  blocking.row_tiles = RowTiles(kernel, blocking.depth, l2_bytes);
  const int64_t all_columns = RoundUp(N, kernel.nr);
  if (form == GemmBForm::kPacked) {
    blocking.columns = all_columns;
    return blocking;
  }
  const bool one_pass = M <= blocking.row_tiles * kernel.mr;
  if (!one_pass) {
    blocking.depth = std::min(blocking.depth, kGemmBlockK);
    blocking.row_tiles = RowTiles(kernel, blocking.depth, l2_bytes);
  }
  const int64_t floats = one_pass ? kOnePassFloats : kManyPassFloats;
  const int64_t columns = floats / blocking.depth / kernel.nr * kernel.nr;
  blocking.columns = std::min(std::max<int64_t>(columns, kernel.nr), all_columns);
  return blocking;
}

int64_t L2Bytes() {
  static const int64_t bytes = [] {
    const int64_t said = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return said <= 0 ? int64_t{512} << 10 : std::clamp<int64_t>(said, 256 << 10, 2 << 20);
  }();
  return bytes;
}

}  // namespace rml
