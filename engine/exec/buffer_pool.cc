#include "engine/exec/buffer_pool.h"

#include <algorithm>
#include <utility>

namespace rml {

absl::StatusOr<Buffer> BufferPool::Take(int64_t bytes) {
  int best = -1;
  for (int i = 0; i < num_free_; ++i) {
    const int64_t size = free_[i].size_bytes();
    if (size >= bytes && (best < 0 || size < free_[best].size_bytes())) best = i;
  }
  if (best < 0) {
    absl::StatusOr<Buffer> buffer = Buffer::Allocate(bytes);
    if (buffer.ok() || num_free_ == 0) return buffer;
    while (num_free_ > 0) free_[--num_free_] = Buffer();
    return Buffer::Allocate(bytes);
  }
  Buffer taken = std::move(free_[best]);
  free_[best] = std::move(free_[--num_free_]);
  return taken;
}

void BufferPool::Give(Buffer buffer) {
  if (buffer.size_bytes() == 0) return;
  if (num_free_ < kMaxFree) {
    free_[num_free_++] = std::move(buffer);
    return;
  }
  auto smallest = std::min_element(free_.begin(), free_.end(),
                                   [](const Buffer& a, const Buffer& b) { return a.size_bytes() < b.size_bytes(); });
  if (smallest->size_bytes() < buffer.size_bytes()) *smallest = std::move(buffer);
}

int64_t BufferPool::free_bytes() const {
  int64_t total = 0;
  for (int i = 0; i < num_free_; ++i) total += free_[i].size_bytes();
  return total;
}

}  // namespace rml
