// Aligned memory with one owner. Large buffers are mappings of their own, so that releasing one gives the pages back to
// the system whatever the allocator's state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

namespace rml {

// What points at no elements: aligned to 64 and not null, as a step may add to where its operand begins, which for nullptr
// is undefined. Nothing may be read or written there.
void* NoBytes();

// Move-only owner of `size_bytes()` bytes aligned to 64; the bytes start as zeros. Thread-compatible.
class Buffer {
 public:
  Buffer() = default;
  // For what may be large: weights, packed weights, arenas, tensors. ResourceExhausted with the size if the memory cannot
  // be had; from 64 MiB on also if the machine or a control group leaves less (UsableMemory), as a kernel that
  // overcommits would give it and end the process when it is used. size_bytes >= 0; 0 holds nothing.
  static absl::StatusOr<Buffer> Allocate(int64_t size_bytes);
  // The same, but throws std::bad_alloc as a container does: for small ones, and where one stands for it.
  explicit Buffer(int64_t size_bytes);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  void* data() const { return data_; }  // NoBytes() for 0 bytes
  int64_t size_bytes() const { return size_bytes_; }

  // Gives the whole pages within [offset, offset + bytes) back to the system; what was in them is zeros from then on.
  // Does nothing to a small buffer.
  void DropPages(int64_t offset, int64_t bytes) const;

 private:
  void Release();

  void* data_ = NoBytes();
  int64_t size_bytes_ = 0;
};

}  // namespace rml
