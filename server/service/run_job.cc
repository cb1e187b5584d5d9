#include "server/service/run_job.h"

#include <utility>

#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "server/service/tensor_content.h"

namespace rml {
namespace {

double Seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

RunJob::RunJob(RunCall call, SteadyTime deadline) : Job(deadline), call_(std::move(call)) {}

void RunJob::Run(int instance, std::chrono::nanoseconds queued) {
  call_.done(CatchOutOfMemory(call_.model.label().c_str(), [&] { return RunOn(instance, queued); }));
}

absl::Status RunJob::RunOn(int instance, std::chrono::nanoseconds queued) {
  ModelMetrics& metrics = call_.model.metrics();
  metrics.queue_duration.Observe(Seconds(queued));
  ModelInstance& on = call_.model.instance(instance);
  const auto start = std::chrono::steady_clock::now();
  const RunControl control{.deadline = deadline(), .cancelled = &cancelled()};
  const absl::Status status = on.executor->Run(call_.checked.inputs, on.outputs, control);
  const std::chrono::nanoseconds compute = std::chrono::steady_clock::now() - start;
  call_.model.CountMemory(instance);
  if (!status.ok()) {
    if (absl::IsCancelled(status) || absl::IsDeadlineExceeded(status)) metrics.wasted_compute_ns.Add(compute.count());
    return Annotate(status, call_.model.label());
  }
  metrics.compute_duration.Observe(Seconds(compute));
  metrics.batch_size.Observe(static_cast<double>(call_.checked.rows));
  if (cancelled().load(std::memory_order_relaxed)) metrics.wasted_compute_ns.Add(compute.count());
  Fill(on.outputs);
  call_.response.mutable_timing()->set_queue_seconds(Seconds(queued));
  call_.response.mutable_timing()->set_compute_seconds(Seconds(compute));
  return absl::OkStatus();
}

void RunJob::Fill(const std::vector<Tensor>& outputs) {
  v1::RunResponse& response = call_.response;
  response.set_model(call_.model.name());
  response.set_version(call_.model.version());
  response.set_request_id(call_.request.request_id());
  for (int output : call_.checked.outputs) {
    const auto index = static_cast<size_t>(output);
    EncodeTensor(outputs[index], call_.model.program().outputs()[index].name, call_.checked.lists,
                 *response.add_outputs());
  }
}

}  // namespace rml
