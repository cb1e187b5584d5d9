#include "engine/exec/buffer_pool.h"

#include <gtest/gtest.h>

#include <utility>

namespace rml {
namespace {

TEST(BufferPool, HandsOutTheSmallestThatIsLargeEnough) {
  BufferPool pool;
  Buffer small(64), middle(640), large(6400);
  const void* const middle_data = middle.data();
  pool.Give(std::move(large));
  pool.Give(std::move(middle));
  pool.Give(std::move(small));
  EXPECT_EQ(pool.free_bytes(), 64 + 640 + 6400);
  const Buffer taken = *pool.Take(65);
  EXPECT_EQ(taken.data(), middle_data);
  EXPECT_EQ(taken.size_bytes(), 640);
  EXPECT_EQ(pool.free_bytes(), 64 + 6400);
}

TEST(BufferPool, MakesANewOneWhereNoneIsLargeEnough) {
  BufferPool pool;
  pool.Give(Buffer(64));
  EXPECT_EQ(pool.Take(65)->size_bytes(), 65);
  EXPECT_EQ(pool.free_bytes(), 64);
}

TEST(BufferPool, HoldsABoundedNumberAndLetsTheSmallestGo) {
  BufferPool pool;
  for (int i = 1; i <= BufferPool::kMaxFree; ++i) pool.Give(Buffer(int64_t{100} * i));
  const int64_t full = pool.free_bytes();
  pool.Give(Buffer(50));  // smaller than all
  EXPECT_EQ(pool.free_bytes(), full);
  pool.Give(Buffer(5000));
  EXPECT_EQ(pool.free_bytes(), full - 100 + 5000);
}

TEST(BufferPool, NothingIsNotKept) {
  BufferPool pool;
  for (int i = 0; i < 2 * BufferPool::kMaxFree; ++i) pool.Give(Buffer());
  pool.Give(Buffer(64));
  EXPECT_EQ(pool.free_bytes(), 64);
  EXPECT_EQ(pool.Take(0)->size_bytes(), 64);
}

}  // namespace
}  // namespace rml
