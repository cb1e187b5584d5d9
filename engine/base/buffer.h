// Aligned memory with one owner. Large buffers are mappings of their own, so that releasing one gives the pages back to
// the system whatever the allocator's state.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rml {

// Move-only owner of `size_bytes()` bytes aligned to 64; the bytes start as zeros. Thread-compatible.
class Buffer {
 public:
  Buffer() = default;
  // Aborts only if the system has no memory left. size_bytes >= 0; 0 holds nothing.
  explicit Buffer(int64_t size_bytes);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  void* data() const { return data_; }
  int64_t size_bytes() const { return size_bytes_; }

 private:
  void Release();

  void* data_ = nullptr;
  int64_t size_bytes_ = 0;
};

}  // namespace rml
