#include "engine/exec/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace rml {
namespace {

// No two buffers alive at one step share a byte, and everything lies inside the arena.
void ExpectValid(const std::vector<BufferLife>& lives, const MemoryPlan& plan) {
  ASSERT_EQ(plan.offsets.size(), lives.size());
  EXPECT_EQ(plan.arena_bytes % 64, 0);
  for (size_t a = 0; a < lives.size(); ++a) {
    EXPECT_EQ(plan.offsets[a] % 64, 0);
    EXPECT_LE(plan.offsets[a] + lives[a].bytes, plan.arena_bytes);
    for (size_t b = 0; b < a; ++b) {
      const bool together = lives[a].first <= lives[b].last && lives[b].first <= lives[a].last;
      const bool overlap =
          plan.offsets[a] < plan.offsets[b] + lives[b].bytes && plan.offsets[b] < plan.offsets[a] + lives[a].bytes;
      EXPECT_FALSE(together && overlap) << "buffers " << a << " and " << b;
    }
  }
}

TEST(PlanMemory, NothingNeedsNothing) { EXPECT_EQ(PlanMemory({})->arena_bytes, 0); }

TEST(PlanMemory, AChainNeedsTwoBuffers) {
  std::vector<BufferLife> lives;
  for (int i = 0; i < 100; ++i) lives.push_back({.bytes = 640, .first = i, .last = i + 1});
  const MemoryPlan plan = *PlanMemory(lives);
  ExpectValid(lives, plan);
  EXPECT_EQ(plan.arena_bytes, 2 * 640);
}

TEST(PlanMemory, SizesAreRoundedToCacheLines) {
  const std::vector<BufferLife> lives = {{.bytes = 1, .first = 0, .last = 1}, {.bytes = 65, .first = 0, .last = 1}};
  const MemoryPlan plan = *PlanMemory(lives);
  ExpectValid(lives, plan);
  EXPECT_EQ(plan.arena_bytes, 64 + 128);
}

TEST(PlanMemory, TakesTheSmallestGapThatFits) {
  // At step 2 gaps of 256 and 64 bytes are free; the 64-byte buffer takes the second.
  const std::vector<BufferLife> lives = {{.bytes = 256, .first = 0, .last = 1},
                                         {.bytes = 64, .first = 0, .last = 9},
                                         {.bytes = 64, .first = 0, .last = 1},
                                         {.bytes = 64, .first = 0, .last = 9},
                                         {.bytes = 64, .first = 2, .last = 9}};
  const MemoryPlan plan = *PlanMemory(lives);
  ExpectValid(lives, plan);
  EXPECT_EQ(plan.offsets[4], plan.offsets[2]);
}

TEST(PlanMemory, RandomLivesNeverOverlap) {
  const unsigned seed = 7;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    std::vector<BufferLife> lives;
    for (int i = 0; i < 60; ++i) {
      const int first = static_cast<int>(random() % 40);
      lives.push_back({.bytes = static_cast<int64_t>(random() % 1000),
                       .first = first,
                       .last = first + static_cast<int>(random() % 10)});
    }
    ExpectValid(lives, *PlanMemory(lives));
  }
}

}  // namespace
}  // namespace rml
