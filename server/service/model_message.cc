#include "server/service/model_message.h"

#include <string>
#include <vector>

#include "server/service/problems.h"
#include "server/service/run_messages.h"

namespace rml {
namespace {

constexpr size_t kMaxReasonBytes = 2000;

v1::ModelState ToProto(ModelState state) {
  switch (state) {
    case ModelState::kLoading:
      return v1::LOADING;
    case ModelState::kReady:
      return v1::READY;
    case ModelState::kUnloading:
      return v1::UNLOADING;
    case ModelState::kUnloaded:
      return v1::UNLOADED;
    case ModelState::kFailed:
      break;
  }
  return v1::FAILED;
}

void FillTensor(const TensorInfo& info, v1::TensorInfo& message) {
  message.set_name(info.name);
  message.set_dtype(rml::ToProto(info.dtype));
  for (const Dim& dim : info.shape) {
    message.add_shape(dim.symbolic() ? -1 : dim.factor());
    message.add_row_factors(dim.symbolic() ? dim.factor() : 0);
  }
  message.set_row_independent(info.row_independent);
  message.set_display(Describe(info));
}

void FillMemory(const ServedModel& served, v1::MemoryBill& message) {
  const MemoryBill& bill = served.program().memory();
  message.set_constants(bill.constants);
  message.set_prepared(bill.prepared);
  message.set_arenas(served.arena_bytes());
  message.set_total(bill.constants + bill.prepared + served.arena_bytes());
}

}  // namespace

void FillModel(const ModelStatus& status, Detail detail, v1::Model& message) {
  message.set_name(status.name);
  message.set_version(status.version);
  message.set_state(ToProto(status.state));
  message.set_reason(Cut(status.reason, kMaxReasonBytes));
  message.set_load_seconds(status.load_seconds);
  if (!status.served) return;
  const LoadedModel& loaded = status.served->loaded();
  const Program& program = *loaded.program;
  message.set_verified(loaded.golden.has_value());
  message.set_golden_max_error(loaded.golden_max_error);
  for (const TensorInfo& info : program.inputs()) FillTensor(info, *message.add_inputs());
  for (const TensorInfo& info : program.outputs()) FillTensor(info, *message.add_outputs());
  if (program.symbolic()) {
    message.set_min_rows(program.min_rows());
    message.set_max_rows(loaded.max_rows);
  }
  FillMemory(*status.served, *message.mutable_memory());
  const ServeOptions& options = loaded.options;
  message.set_instances(options.instances);
  message.set_threads(options.threads);
  message.set_queue_limit(static_cast<int64_t>(options.queue_limit));
  message.set_default_timeout_seconds(std::chrono::duration<double>(options.default_timeout).count());
  for (const Placed<int64_t>& rows : options.warm_up_rows) message.add_warm_up_rows(rows.value);
  message.set_producer(program.graph().producer);
  if (detail == Detail::kList) return;
  for (const PassReport& report : program.passes()) {
    v1::PassReport& pass = *message.add_passes();
    pass.set_pass(report.pass);
    pass.mutable_matched()->Assign(report.matched.begin(), report.matched.end());
    pass.mutable_refused()->Assign(report.refused.begin(), report.refused.end());
  }
}

}  // namespace rml
