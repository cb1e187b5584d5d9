// Where each buffer of a plan lies in the arena, from when it is alive. Pure: no memory is touched.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace rml {

// A buffer alive from the step `first` that writes it to the step `last` that reads it last, both inclusive.
struct BufferLife {
  int64_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // one per buffer, multiples of 64
  int64_t arena_bytes = 0;       // multiple of 64
};

// Places buffers so that no two alive at the same step overlap: in order of `first`, each into the smallest free gap
// that holds it, else at the end. ResourceExhausted if the sizes do not add up to 63 bits.
absl::StatusOr<MemoryPlan> PlanMemory(absl::Span<const BufferLife> lives);

}  // namespace rml
