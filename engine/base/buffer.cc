#include "engine/base/buffer.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace rml {
namespace {

// From here on a buffer is a mapping of its own: 64 KiB is 16 pages, below that a mapping wastes more than it saves.
constexpr int64_t kMappedBytes = 64 << 10;
constexpr size_t kAlignment = 64;

[[noreturn]] void OutOfMemory(int64_t size_bytes) {
  std::fprintf(stderr, "rml: out of memory: a buffer of %lld bytes could not be had\n",
               static_cast<long long>(size_bytes));
  std::abort();
}

void* Allocate(int64_t size_bytes) {
  if (size_bytes >= kMappedBytes) {
    void* p = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) OutOfMemory(size_bytes);
    return p;
  }
  const size_t rounded = (static_cast<size_t>(size_bytes) + kAlignment - 1) / kAlignment * kAlignment;
  void* p = std::aligned_alloc(kAlignment, rounded);
  if (p == nullptr) OutOfMemory(size_bytes);
  std::memset(p, 0, rounded);
  return p;
}

}  // namespace

Buffer::Buffer(int64_t size_bytes) : size_bytes_(size_bytes) {
  if (size_bytes > 0) data_ = Allocate(size_bytes);
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    Release();
    data_ = std::exchange(other.data_, nullptr);
    size_bytes_ = std::exchange(other.size_bytes_, 0);
  }
  return *this;
}

Buffer::~Buffer() { Release(); }

void Buffer::Release() {
  if (data_ == nullptr) return;
  if (size_bytes_ >= kMappedBytes) {
    munmap(data_, size_bytes_);
  } else {
    std::free(data_);
  }
  data_ = nullptr;
}

}  // namespace rml
