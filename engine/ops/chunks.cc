#include "engine/ops/chunks.h"

namespace rml {

void ForRows(const RunContext& context, int64_t rows, int64_t rows_per_chunk,
             absl::FunctionRef<void(int64_t, int64_t, int)> body) {
  if (rows <= 0) return;
  const int64_t chunks = (rows + rows_per_chunk - 1) / rows_per_chunk;
  if (context.pool == nullptr || context.width <= 1 || chunks == 1) {
    body(0, rows, 0);
    return;
  }
  context.pool->ParallelFor(chunks, context.width, [&](int64_t chunk, int slot) {
    const int64_t begin = chunk * rows_per_chunk;
    body(begin, std::min(rows, begin + rows_per_chunk), slot);
  });
}

}  // namespace rml
