// One executor thread's free memory: its arena and the output buffers that callers hand back.
#pragma once

#include <array>
#include <cstdint>

#include "engine/base/buffer.h"
#include "engine/base/tensor.h"

namespace rml {

// Thread-compatible: owned by one executor. Holds at most kMaxFree buffers; the smallest goes when there are more.
class BufferPool {
 public:
  static constexpr int kMaxFree = 8;

  // A buffer of at least `bytes`: the smallest free one that is large enough, else a new one, for which free ones are given
  // up if memory is short. Contents unspecified. ResourceExhausted if there is not enough memory.
  absl::StatusOr<Buffer> Take(int64_t bytes);
  void Give(Buffer buffer);
  int64_t free_bytes() const;

 private:
  std::array<Buffer, kMaxFree> free_;
  int num_free_ = 0;
};

}  // namespace rml
