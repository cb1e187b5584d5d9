#include "engine/base/buffer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace rml {
namespace {

// Around the size from which a buffer is a mapping of its own.
constexpr int64_t kSizes[] = {1, 63, 64, 65, 4096, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, 1 << 20};

TEST(Buffer, AlignedAndZero) {
  for (int64_t size : kSizes) {
    for (int repeat = 0; repeat < 3; ++repeat) {  // memory that comes back used is cleared
      const Buffer buffer(size);
      ASSERT_EQ(buffer.size_bytes(), size);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0u);
      auto* bytes = static_cast<unsigned char*>(buffer.data());
      ASSERT_TRUE(std::all_of(bytes, bytes + size, [](unsigned char byte) { return byte == 0; })) << size;
      std::memset(bytes, 0xab, size);
    }
  }
}

TEST(Buffer, OfNothingHoldsNothing) {
  const Buffer none;
  const Buffer zero(0);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(zero.data(), nullptr);
  EXPECT_EQ(zero.size_bytes(), 0);
}

TEST(Buffer, MovesLeaveTheSourceEmpty) {
  for (int64_t size : kSizes) {
    Buffer a(size);
    void* const data = a.data();
    Buffer b = std::move(a);
    EXPECT_EQ(b.data(), data);
    EXPECT_EQ(a.data(), nullptr);  // NOLINT(bugprone-use-after-move): a moved-from buffer is empty
    EXPECT_EQ(a.size_bytes(), 0);
    Buffer c(128);
    c = std::move(b);
    EXPECT_EQ(c.data(), data);
    EXPECT_EQ(c.size_bytes(), size);
    Buffer& same = c;
    c = std::move(same);
    EXPECT_EQ(c.data(), data);
  }
}

TEST(Buffer, LargeOnesGoBackToTheSystem) {
  const int64_t size = 1 << 20;
  void* data = nullptr;
  {
    const Buffer buffer(size);
    data = buffer.data();
  }
  unsigned char resident;
  EXPECT_EQ(mincore(data, sysconf(_SC_PAGESIZE), &resident), -1);
  EXPECT_EQ(errno, ENOMEM) << "the pages are still mapped";
}

}  // namespace
}  // namespace rml
