#include "tests/engine/failing_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

std::atomic<int64_t> g_left{kNever};  // allocations until one fails
std::atomic<bool> g_forever{false};
std::atomic<bool> g_failed{false};
std::atomic<int64_t> g_live{0};

bool MustFail(size_t size) {
  if (size < rml::kSmallestBytes) return false;
  if (g_left.load(std::memory_order_relaxed) == kNever) return false;
  const int64_t left = g_left.fetch_sub(1);
  const bool fail = g_forever ? left <= 0 : left == 0;
  if (fail) g_failed = true;
  return fail;
}

void* Allocate(size_t size, size_t alignment) {
  if (MustFail(size)) return nullptr;
  void* p = alignment <= alignof(std::max_align_t)
                ? std::malloc(size == 0 ? 1 : size)
                : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (p != nullptr) g_live.fetch_add(1, std::memory_order_relaxed);
  return p;
}

void* AllocateOrThrow(size_t size, size_t alignment) {
  void* p = Allocate(size, alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

void Free(void* p) {
  if (p != nullptr) g_live.fetch_sub(1, std::memory_order_relaxed);
  std::free(p);
}

}  // namespace

void* operator new(size_t size) { return AllocateOrThrow(size, 1); }
void* operator new[](size_t size) { return AllocateOrThrow(size, 1); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size, 1); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return Allocate(size, 1); }
void* operator new(size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Allocate(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* p) noexcept { Free(p); }
void operator delete[](void* p) noexcept { Free(p); }
void operator delete(void* p, size_t) noexcept { Free(p); }
void operator delete[](void* p, size_t) noexcept { Free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { Free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { Free(p); }
void operator delete(void* p, std::align_val_t) noexcept { Free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { Free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { Free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { Free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { Free(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { Free(p); }

// Only the engine's own mappings come this way: the C library has its own way to the system.
extern "C" void* mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) noexcept {
  if (MustFail(length)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  g_live.fetch_add(static_cast<int64_t>(length), std::memory_order_relaxed);
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, length, protection, flags, fd, offset));
}

extern "C" int munmap(void* address, size_t length) noexcept {
  g_live.fetch_sub(static_cast<int64_t>(length), std::memory_order_relaxed);
  return static_cast<int>(syscall(SYS_munmap, address, length));
}

namespace rml {

void FailingMemory::FailAfter(int64_t good, Mode mode) {
  g_forever = mode == Mode::kForever;
  g_failed = false;
  g_left = good;
}

bool FailingMemory::Stop() {
  g_left = kNever;
  return g_failed;
}

int64_t FailingMemory::live() { return g_live.load(); }

std::set<std::string> ExpectSurvivesAllocationFailures(const MemoryTrial& trial) {
  EXPECT_EQ(trial.run(), absl::OkStatus()) << "with all the memory there is";
  std::set<std::string> messages;
  int64_t runs = 0;
  const int64_t live_before = FailingMemory::live();
  for (const FailingMemory::Mode mode : trial.modes) {
    for (int64_t good = 0;; good += trial.stride) {
      int64_t live = FailingMemory::live();
      FailingMemory::FailAfter(good, mode);
      absl::Status status = trial.run();
      const bool failed = FailingMemory::Stop();
      if (!failed) {
        EXPECT_EQ(status, absl::OkStatus());
        break;
      }
      ++runs;
      EXPECT_TRUE(status.ok() || absl::IsResourceExhausted(status)) << status << " after " << good << " allocations";
      if (!status.ok()) {
        const int64_t before = FailingMemory::live();
        messages.insert(std::string(status.message()));
        live += FailingMemory::live() - before;
      }
      status = absl::OkStatus();
      if (!trial.leaves_threads) {
        EXPECT_EQ(FailingMemory::live(), live) << "leaked after " << good << " allocations";
      }
      if (trial.after) {
        EXPECT_EQ(trial.after(), absl::OkStatus()) << "after " << good << " allocations";
      }
      if (testing::Test::HasFailure()) return messages;
    }
  }
  EXPECT_FALSE(messages.empty()) << "nothing failed";
  if (trial.leaves_threads) {
    // A block that is lost now and then shows; a queue's or a thread's last block does not.
    EXPECT_LT(FailingMemory::live() - live_before, 16 + static_cast<int64_t>(2 * messages.size())) << runs << " runs";
  }
  return messages;
}

}  // namespace rml
