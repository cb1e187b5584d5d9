#include "engine/base/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "engine/base/usable_cpus.h"

namespace rml {
namespace {

TEST(ThreadPool, EveryChunkRunsExactlyOnce) {
  for (int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.num_threads(), threads);
    for (int64_t chunks : {0, 1, 2, 3, 7, 64, 1000}) {
      for (int width : {1, 2, 3, 100}) {
        std::vector<std::atomic<int>> runs(chunks);
        pool.ParallelFor(chunks, width, [&](int64_t chunk, int) { runs[chunk].fetch_add(1); });
        for (int64_t i = 0; i < chunks; ++i) ASSERT_EQ(runs[i].load(), 1) << threads << " threads, chunk " << i;
      }
    }
  }
}

TEST(ThreadPool, SlotsAreBelowTheWidthAndOnePerThread) {
  ThreadPool pool(4);
  for (int width : {1, 2, 3, 4, 9}) {
    for (int repeat = 0; repeat < 200; ++repeat) {
      std::vector<std::thread::id> thread_of_chunk(64);
      std::vector<int> slot_of_chunk(64);
      pool.ParallelFor(64, width, [&](int64_t chunk, int slot) {
        thread_of_chunk[chunk] = std::this_thread::get_id();
        slot_of_chunk[chunk] = slot;
      });
      std::set<std::pair<std::thread::id, int>> pairs;
      for (int i = 0; i < 64; ++i) {
        ASSERT_GE(slot_of_chunk[i], 0);
        ASSERT_LT(slot_of_chunk[i], std::min(width, 4));
        pairs.emplace(thread_of_chunk[i], slot_of_chunk[i]);
        ASSERT_TRUE(thread_of_chunk[i] != std::this_thread::get_id() || slot_of_chunk[i] == 0);
      }
      std::set<std::thread::id> threads;
      std::set<int> slots;
      for (const auto& [thread, slot] : pairs) {
        threads.insert(thread);
        slots.insert(slot);
      }
      ASSERT_EQ(threads.size(), pairs.size()) << "a thread had two slots";
      ASSERT_EQ(slots.size(), pairs.size()) << "a slot had two threads";
    }
  }
}

// Chunks that wait for one another end only if that many threads run them at the same time.
TEST(ThreadPool, IdleWorkersHelp) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::latch all_there(3);
    pool.ParallelFor(3, 3, [&](int64_t, int) { all_there.arrive_and_wait(); });
  }
}

TEST(ThreadPool, WorkIsDoneAloneWhenEveryWorkerIsBusy) {
  ThreadPool pool(2);
  std::latch both_busy(3);
  std::latch release(1);
  std::thread holder([&] {
    pool.ParallelFor(2, 2, [&](int64_t, int) {
      both_busy.arrive_and_wait();
      release.wait();
    });
  });
  both_busy.arrive_and_wait();  // the only worker is in the holder's body
  std::set<std::thread::id> threads;
  std::vector<int> runs(100);
  pool.ParallelFor(100, 2, [&](int64_t chunk, int slot) {
    EXPECT_EQ(slot, 0);
    ++runs[chunk];
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
  EXPECT_EQ(runs, std::vector<int>(100, 1));
  release.count_down();
  holder.join();
}

TEST(ThreadPool, ConcurrentCallersEachGetTheirOwnChunks) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&pool, caller] {
      for (int repeat = 0; repeat < 2000; ++repeat) {
        const ThreadPool::HotScope hot(repeat % 3 == 0 ? &pool : nullptr);
        const int chunks = 1 + (repeat + caller) % 9;
        std::vector<int> runs(chunks);
        pool.ParallelFor(chunks, 3, [&](int64_t chunk, int) { runs[chunk] += 1; });
        ASSERT_EQ(runs, std::vector<int>(chunks, 1));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(ThreadPool, WhatChunksWroteIsSeenByTheCaller) {
  ThreadPool pool(2);
  const ThreadPool::HotScope hot(&pool);
  std::vector<int64_t> values(257);
  for (int64_t repeat = 1; repeat <= 5000; ++repeat) {
    pool.ParallelFor(257, 2, [&](int64_t chunk, int) { values[chunk] = chunk * repeat; });
    ASSERT_EQ(std::accumulate(values.begin(), values.end(), int64_t{0}), repeat * 257 * 256 / 2);
  }
}

TEST(ThreadPool, WorkersFlushSubnormalsIfTheCallerDoes) {
  ThreadPool pool(2);
  const unsigned before = _mm_getcsr();
  for (unsigned flags : {0x8040u, 0u}) {
    _mm_setcsr((before & ~0x8040u) | flags);
    std::vector<unsigned> seen(2);
    std::latch both(2);
    pool.ParallelFor(2, 2, [&](int64_t chunk, int) {
      both.arrive_and_wait();
      seen[chunk] = _mm_getcsr() & 0x8040u;
    });
    EXPECT_EQ(seen, (std::vector<unsigned>{flags, flags}));
  }
  _mm_setcsr(before);
}

TEST(ThreadPool, PoolsComeAndGo) {
  for (int i = 0; i < 200; ++i) {
    ThreadPool pool(1 + i % 4);
    if (i % 3 == 0) continue;  // workers that never had anything to do stop too
    std::atomic<int> sum{0};
    pool.ParallelFor(8, 4, [&](int64_t chunk, int) { sum += static_cast<int>(chunk); });
    EXPECT_EQ(sum.load(), 28);
  }
}

TEST(ThreadPool, HotScopeOfNothingDoesNothing) { const ThreadPool::HotScope hot(nullptr); }

TEST(ThreadPool, TheProcessHasOne) {
  EXPECT_EQ(&ThreadPool::Process(), &ThreadPool::Process());
  EXPECT_EQ(ThreadPool::Process().num_threads(), UsableCpus());
}

}  // namespace
}  // namespace rml
