// The compute pool: threads that help whoever is running, spin only while something runs, and sleep otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"

namespace rml {

// Thread-safe. A caller that wants help claims idle workers; if none is idle it does the work alone, so concurrent
// callers never wait for each other. Results must not depend on which thread runs a chunk.
class ThreadPool {
 public:
  // Starts num_threads - 1 workers (the caller is the first thread). num_threads >= 1.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The pool shared by all models of the process, UsableCpus() wide, made on first use.
  static ThreadPool& Process();

  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(chunk, slot) once for every chunk in [0, num_chunks), on at most max_width threads, and returns when all
  // are done. `slot` is in [0, max_width), fixed per participating thread: use it to index scratch. The caller is slot
  // 0. Allocates nothing. body must not call ParallelFor.
  void ParallelFor(int64_t num_chunks, int max_width, absl::FunctionRef<void(int64_t chunk, int slot)> body);

  // While at least one is alive, workers spin for the next ParallelFor instead of sleeping (an executor holds one for
  // the length of a multi-threaded run). Workers go on spinning at most 50 us after the last one has gone.
  class HotScope {
   public:
    explicit HotScope(ThreadPool* pool);  // nullptr: does nothing
    ~HotScope();
    HotScope(const HotScope&) = delete;
    HotScope& operator=(const HotScope&) = delete;

   private:
    ThreadPool* pool_;
  };

 private:
  struct Task;
  struct Worker;

  void WorkerLoop(Worker& worker);
  Task* WaitForTask(Worker& worker);

  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<int> hot_{0};
  std::atomic<bool> stopping_{false};
};

}  // namespace rml
