#include "server/service/run_job.h"

#include <utility>

#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"

namespace rml {
namespace {

double Seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

RunJob::RunJob(RunCall call, SteadyTime deadline) : Job(deadline, call.request.priority), call_(std::move(call)) {}

void RunJob::Run(int instance, std::chrono::nanoseconds queued) {
  call_.done(CatchOutOfMemory(call_.model.label().c_str(), [&] { return RunOn(instance, queued); }));
}

absl::Status RunJob::RunOn(int instance, std::chrono::nanoseconds queued) {
  ModelMetrics& metrics = call_.model.metrics();
  metrics.queue_duration.Observe(Seconds(queued));
  ModelInstance& on = call_.model.instance(instance);
  const auto start = std::chrono::steady_clock::now();
  const RunControl control{.deadline = deadline(), .cancelled = &cancelled()};
  const absl::Status status = on.executor->Run(call_.request.inputs, on.outputs, control);
  const auto end = std::chrono::steady_clock::now();
  const std::chrono::nanoseconds compute = end - start;
  call_.model.CountMemory(instance);
  if (!status.ok()) {
    if (absl::IsCancelled(status) || absl::IsDeadlineExceeded(status)) metrics.wasted_compute_ns.Add(compute.count());
    return Annotate(status, call_.model.label());
  }
  metrics.compute_duration.Observe(Seconds(compute));
  metrics.batch_size.Observe(static_cast<double>(call_.request.rows));
  if (cancelled().load(std::memory_order_relaxed)) metrics.wasted_compute_ns.Add(compute.count());
  call_.fill(
      {.model = call_.model, .request = call_.request, .outputs = on.outputs, .queued = queued, .computed = compute});
  metrics.inference.AddExecution({.rows = call_.request.rows,
                                  .queue = queued,
                                  .input = call_.input_time,
                                  .compute = compute,
                                  .output = std::chrono::steady_clock::now() - end});
  return absl::OkStatus();
}

}  // namespace rml
