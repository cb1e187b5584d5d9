#include "engine/base/thread_pool.h"

#include <sched.h>
#include <xmmintrin.h>

#include <algorithm>
#include <chrono>

#include "engine/base/usable_cpus.h"

namespace rml {
namespace {

// After the last run a worker spins this long for the next one: a spinning hand-off costs 0.4 us, waking a thread that
// has slept 25 us, so that much waiting pays for itself in a tight loop and costs nothing on an idle server.
constexpr std::chrono::microseconds kSpinAfterRun{50};

}  // namespace

struct ThreadPool::Task {
  int64_t num_chunks;
  absl::FunctionRef<void(int64_t, int)> body;
  unsigned floating_point_mode;  // the caller's MXCSR, so that workers round and flush alike
  std::atomic<int64_t> next{0};
  std::atomic<int> active{0};

  void RunChunks(int slot) {
    for (int64_t chunk; (chunk = next.fetch_add(1, std::memory_order_relaxed)) < num_chunks;) body(chunk, slot);
  }
};

struct alignas(64) ThreadPool::Worker {
  std::atomic<bool> claimed{false};  // by the caller that may set `task`
  std::atomic<Task*> task{nullptr};  // taken by exchange: by the worker to run it, or back by the caller
  int slot = 0;                      // written by the claimer before `task`
  std::atomic<bool> sleeping{false};
  std::atomic<uint32_t> wakeups{0};  // futex word
  std::thread thread;

  void Wake() {
    if (!sleeping.load()) return;
    wakeups.fetch_add(1);
    wakeups.notify_one();
  }
};

ThreadPool::ThreadPool(int num_threads) {
  for (int i = 1; i < num_threads; ++i) workers_.push_back(std::make_unique<Worker>());
  for (auto& worker : workers_) {
    worker->thread = std::thread([this, &worker = *worker] { WorkerLoop(worker); });
  }
}

ThreadPool::~ThreadPool() {
  stopping_.store(true);
  for (auto& worker : workers_) {
    worker->wakeups.fetch_add(1);
    worker->wakeups.notify_one();
    worker->thread.join();
  }
}

ThreadPool& ThreadPool::Process() {
  static ThreadPool pool(UsableCpus());
  return pool;
}

void ThreadPool::ParallelFor(int64_t num_chunks, int max_width, absl::FunctionRef<void(int64_t, int)> body) {
  const int64_t wanted = std::min<int64_t>({max_width, num_chunks, num_threads()}) - 1;
  if (wanted <= 0) {
    for (int64_t chunk = 0; chunk < num_chunks; ++chunk) body(chunk, 0);
    return;
  }
  Task task{.num_chunks = num_chunks, .body = body, .floating_point_mode = _mm_getcsr()};
  int slots = 1;
  for (auto& worker : workers_) {
    if (slots > wanted) break;
    if (worker->claimed.exchange(true, std::memory_order_acquire)) continue;
    worker->slot = slots++;
    task.active.fetch_add(1, std::memory_order_relaxed);
    worker->task.store(&task);
    worker->Wake();
  }
  task.RunChunks(0);
  if (slots == 1) return;
  // A worker that has not started by now has nothing left to do: take the task back rather than wait for it to wake.
  for (auto& worker : workers_) {
    Task* expected = &task;
    if (worker->task.compare_exchange_strong(expected, nullptr)) {
      worker->claimed.store(false, std::memory_order_release);
      task.active.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  while (task.active.load(std::memory_order_acquire) > 0) _mm_pause();
}

ThreadPool::Task* ThreadPool::WaitForTask(Worker& worker) {
  auto spin_until = std::chrono::steady_clock::now() + kSpinAfterRun;
  while (!stopping_.load(std::memory_order_relaxed)) {
    for (int i = 0; i < 64; ++i) {
      if (worker.task.load(std::memory_order_relaxed) != nullptr) {
        if (Task* task = worker.task.exchange(nullptr)) return task;
      }
      _mm_pause();
    }
    if (hot_.load(std::memory_order_relaxed) > 0) {
      spin_until = std::chrono::steady_clock::now() + kSpinAfterRun;
      continue;
    }
    if (std::chrono::steady_clock::now() < spin_until) continue;
    const uint32_t seen = worker.wakeups.load();
    worker.sleeping.store(true);
    // Sequentially consistent on both sides: either the claimer sees `sleeping`, or this load sees its task.
    if (worker.task.load() == nullptr && !stopping_.load()) worker.wakeups.wait(seen);
    worker.sleeping.store(false);
    spin_until = std::chrono::steady_clock::now() + kSpinAfterRun;
  }
  return nullptr;
}

void ThreadPool::WorkerLoop(Worker& worker) {
  while (Task* task = WaitForTask(worker)) {
    _mm_setcsr(task->floating_point_mode);
    task->RunChunks(worker.slot);
    worker.claimed.store(false, std::memory_order_release);
    task->active.fetch_sub(1, std::memory_order_release);
  }
}

ThreadPool::HotScope::HotScope(ThreadPool* pool) : pool_(pool) {
  if (pool_ != nullptr) pool_->hot_.fetch_add(1, std::memory_order_relaxed);
}

ThreadPool::HotScope::~HotScope() {
  if (pool_ != nullptr) pool_->hot_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace rml
