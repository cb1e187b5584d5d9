// How steps share their work among threads: chunks large enough to pay for handing one over.
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "engine/ops/step.h"

namespace rml {

// 64 K elements: a few microseconds of the cheapest loop, ten times what it costs to hand a chunk to a spinning worker.
inline constexpr int64_t kElementsPerChunk = 64 << 10;

// Rows that cover kElementsPerChunk, at least one.
inline int64_t RowsPerChunk(int64_t row_elements) {
  return std::max<int64_t>(1, kElementsPerChunk / std::max<int64_t>(1, row_elements));
}

// Calls body(begin, end, slot) for consecutive ranges of `rows_per_chunk` rows that cover [0, rows), on up to
// context.width threads. `slot` is in [0, max(1, context.width)): it indexes scratch.
void ForRows(const RunContext& context, int64_t rows, int64_t rows_per_chunk,
             absl::FunctionRef<void(int64_t begin, int64_t end, int slot)> body);

}  // namespace rml
