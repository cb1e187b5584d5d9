#include "engine/base/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "engine/base/usable_memory.h"

namespace rml {
namespace {

// From here on a buffer is a mapping of its own: 64 KiB is 16 pages, below that a mapping wastes more than it saves.
constexpr int64_t kMappedBytes = 64 << 10;
constexpr std::align_val_t kAlignment{64};
// From here on the system is asked first what it has: reading its files takes 0.1 ms, touching so many pages takes 10 ms.
constexpr int64_t kLargeBytes = 64 << 20;
// From here on the system is asked for huge pages: a product that streams its weights otherwise waits for page tables as
// long as for the weights (64 x 512 x 2048: 1.4 times the speed). Most systems give them only to those who ask.
constexpr int64_t kHugeBytes = 2 << 20;

// nullptr if there is no memory.
void* TryAllocate(int64_t size_bytes) {
  if (size_bytes >= kMappedBytes) {
    void* p = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    if (size_bytes >= kHugeBytes) madvise(p, size_bytes, MADV_HUGEPAGE);
    return p;
  }
  void* p = ::operator new(size_bytes, kAlignment, std::nothrow);
  if (p != nullptr) std::memset(p, 0, size_bytes);
  return p;
}

alignas(static_cast<size_t>(kAlignment)) char g_no_bytes[1];

}  // namespace

void* NoBytes() { return g_no_bytes; }

absl::StatusOr<Buffer> Buffer::Allocate(int64_t size_bytes) {
  if (size_bytes == 0) return Buffer();
  if (size_bytes >= kLargeBytes) {
    const std::optional<int64_t> usable = UsableMemory();
    if (usable && *usable < size_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrFormat("out of memory: %d bytes are needed and %d can be had", size_bytes, *usable));
    }
  }
  void* data = TryAllocate(size_bytes);
  if (data == nullptr) {
    return absl::ResourceExhaustedError(absl::StrFormat("out of memory: %d bytes cannot be had", size_bytes));
  }
  Buffer buffer;
  buffer.data_ = data;
  buffer.size_bytes_ = size_bytes;
  return buffer;
}

Buffer::Buffer(int64_t size_bytes) {
  if (size_bytes == 0) return;
  void* data = TryAllocate(size_bytes);
  if (data == nullptr) throw std::bad_alloc();
  data_ = data;
  size_bytes_ = size_bytes;
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, NoBytes())), size_bytes_(std::exchange(other.size_bytes_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    Release();
    data_ = std::exchange(other.data_, NoBytes());
    size_bytes_ = std::exchange(other.size_bytes_, 0);
  }
  return *this;
}

Buffer::~Buffer() { Release(); }

void Buffer::DropPages(int64_t offset, int64_t bytes) const {
  if (size_bytes_ < kMappedBytes) return;
  const int64_t page = sysconf(_SC_PAGESIZE);
  const int64_t begin = (offset + page - 1) / page * page;
  const int64_t end = (offset + bytes) / page * page;
  if (begin < end) madvise(static_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
}

void Buffer::Release() {
  if (size_bytes_ == 0) return;
  if (size_bytes_ >= kMappedBytes) {
    munmap(data_, size_bytes_);
  } else {
    ::operator delete(data_, kAlignment);
  }
  data_ = NoBytes();
  size_bytes_ = 0;
}

}  // namespace rml
