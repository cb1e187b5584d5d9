// What it costs to have other threads help: nanoseconds from the call to the return of a parallel loop of one empty chunk
// a thread, in which every thread takes part.
//
//   handoff_benchmark [threads, default 2]
//
// "hot": the workers spin, as within a run. "after": they have had nothing to do for so long; then the waking counts.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "engine/base/thread_pool.h"
#include "engine/base/usable_cpus.h"

namespace rml {
namespace {

using Clock = std::chrono::steady_clock;

double Nanoseconds(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

void Print(const char* what, std::vector<double> ns) {
  std::sort(ns.begin(), ns.end());
  std::printf("%-24s median %9.0f ns, 90 %% %9.0f ns\n", what, ns[ns.size() / 2], ns[ns.size() * 9 / 10]);
}

// Ends only when all threads are there.
void MeetAll(ThreadPool& pool, int threads) {
  std::atomic<int> missing{threads};
  pool.ParallelFor(threads, threads, [&](int64_t, int) {
    missing.fetch_sub(1);
    while (missing.load(std::memory_order_relaxed) > 0) {
    }
  });
}

void MeasureHot(ThreadPool& pool, int threads) {
  constexpr int kLoops = 100, kTries = 2000;
  std::vector<double> ns;
  const ThreadPool::HotScope hot(&pool);
  for (int i = 0; i < kTries; ++i) {
    const Clock::time_point start = Clock::now();
    for (int loop = 0; loop < kLoops; ++loop) MeetAll(pool, threads);
    ns.push_back(Nanoseconds(start) / kLoops);
  }
  Print("hot", std::move(ns));
}

void MeasureAfter(ThreadPool& pool, int threads, std::chrono::microseconds pause, const char* what) {
  constexpr int kTries = 300;
  std::vector<double> ns;
  for (int i = 0; i < kTries; ++i) {
    std::this_thread::sleep_for(pause);
    const Clock::time_point start = Clock::now();
    MeetAll(pool, threads);
    ns.push_back(Nanoseconds(start));
  }
  Print(what, std::move(ns));
}

}  // namespace
}  // namespace rml

int main(int argc, char** argv) {
  int threads = 2;
  const int most = rml::UsableCpus();
  if (argc > 2 || (argc == 2 && !absl::SimpleAtoi(argv[1], &threads)) || threads < 2 || threads > most) {
    std::fprintf(stderr, "usage: handoff_benchmark [threads, default 2]; this process may use %d\n", most);
    return 2;
  }
  rml::ThreadPool pool(threads);
  rml::MeasureHot(pool, threads);
  rml::MeasureAfter(pool, threads, std::chrono::microseconds(200), "after 200 us");
  rml::MeasureAfter(pool, threads, std::chrono::microseconds(2000), "after 2 ms");
  return 0;
}
