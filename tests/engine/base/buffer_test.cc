#include "engine/base/buffer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <string>
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
  EXPECT_EQ(none.data(), NoBytes());
  EXPECT_EQ(zero.data(), NoBytes());
  EXPECT_EQ(zero.size_bytes(), 0);
}

TEST(Buffer, MovesLeaveTheSourceEmpty) {
  for (int64_t size : kSizes) {
    Buffer a(size);
    void* const data = a.data();
    Buffer b = std::move(a);
    EXPECT_EQ(b.data(), data);
    EXPECT_EQ(a.data(), NoBytes());  // NOLINT(bugprone-use-after-move): a moved-from buffer is empty
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

TEST(Buffer, AllocateIsTheSameWithAStatus) {
  for (int64_t size : kSizes) {
    const absl::StatusOr<Buffer> buffer = Buffer::Allocate(size);
    ASSERT_TRUE(buffer.ok()) << buffer.status();
    EXPECT_EQ(buffer->size_bytes(), size);
    EXPECT_EQ(static_cast<const char*>(buffer->data())[size - 1], 0);
  }
  EXPECT_EQ(Buffer::Allocate(0)->data(), NoBytes());
}

// More than any address space, and more than any machine of today has.
TEST(Buffer, WhatCannotBeHadIsAnErrorThatSaysHowMuch) {
  for (int64_t size : {std::numeric_limits<int64_t>::max() - 63, int64_t{1} << 46}) {
    const absl::Status status = Buffer::Allocate(size).status();
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_EQ(status.message().find("out of memory: " + std::to_string(size) + " bytes"), 0u) << status;
    EXPECT_THROW(Buffer{size}, std::bad_alloc);
  }
}

TEST(Buffer, DropsTheWholePagesOfARange) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  const Buffer buffer(32 * page);
  auto* bytes = static_cast<unsigned char*>(buffer.data());
  struct {
    int64_t begin, end;              // dropped
    int64_t zeros_begin, zeros_end;  // what that makes zeros
  } const cases[] = {{0, 0, 0, 0},
                     {1, page, 0, 0},
                     {0, page, 0, page},
                     {page - 1, 3 * page + 1, page, 3 * page},
                     {0, 32 * page, 0, 32 * page}};
  for (const auto& [begin, end, zeros_begin, zeros_end] : cases) {
    std::memset(bytes, 1, buffer.size_bytes());
    buffer.DropPages(begin, end - begin);
    for (int64_t i = 0; i < buffer.size_bytes(); ++i) {
      ASSERT_EQ(bytes[i], i >= zeros_begin && i < zeros_end ? 0 : 1) << "byte " << i << " of " << begin << ".." << end;
    }
  }
  const Buffer small(100);
  std::memset(small.data(), 1, 100);
  small.DropPages(0, 100);
  EXPECT_EQ(static_cast<unsigned char*>(small.data())[50], 1);
}

}  // namespace
}  // namespace rml
