#include "server/repository/served_model.h"

#include <utility>

#include "engine/base/status_macros.h"
#include "server/repository/model_status.h"

namespace rml {

ServedModel::ServedModel(const ModelSource& source, LoadedModel loaded, std::shared_ptr<ModelMetrics> metrics)
    : name_(source.name),
      version_(source.version),
      label_(ModelLabel(name_, version_)),
      metrics_(std::move(metrics)),
      loaded_(std::move(loaded)),
      queue_({.model = label_, .capacity = loaded_.options.queue_limit, .depth = &metrics_->queue_depth}) {
  const MemoryBill& bill = loaded_.program->memory();
  metrics_->memory_bytes.fetch_add(bill.constants + bill.prepared, std::memory_order_relaxed);
  for (size_t i = 0; i < loaded_.instances.size(); ++i) CountMemory(static_cast<int>(i));
}

absl::StatusOr<std::unique_ptr<ServedModel>> ServedModel::Create(const ModelSource& source, LoadedModel loaded,
                                                                 std::shared_ptr<ModelMetrics> metrics) {
  const auto num_instances = static_cast<int>(loaded.instances.size());
  std::unique_ptr<ServedModel> model(new ServedModel(source, std::move(loaded), std::move(metrics)));
  ASSIGN_OR_RETURN(model->workers_, Workers::Start(model->queue_, num_instances));
  return model;
}

ServedModel::~ServedModel() {
  workers_.reset();
  // Not set to 0: a reload of the same version, which shares the metrics, may hold memory too.
  metrics_->memory_bytes.fetch_sub(memory_bytes(), std::memory_order_relaxed);
}

int64_t ServedModel::memory_bytes() const {
  const MemoryBill& bill = loaded_.program->memory();
  return bill.constants + bill.prepared + arena_bytes();
}

void ServedModel::CountMemory(int instance) {
  ModelInstance& on = this->instance(instance);
  const int64_t now = on.executor->arena_bytes();
  const int64_t grown = now - std::exchange(on.arena_bytes, now);
  if (grown == 0) return;
  arena_bytes_.fetch_add(grown, std::memory_order_relaxed);
  metrics_->memory_bytes.fetch_add(grown, std::memory_order_relaxed);
}

}  // namespace rml
