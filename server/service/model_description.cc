#include "server/service/model_description.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/service/infer_messages.h"

namespace rml {
namespace {

constexpr char kPlatform[] = "rml-graph";

bool RowsAreTheFirstDim(const TensorInfo& info) {
  const auto symbolic = [](const Dim& dim) { return dim.symbolic(); };
  return !info.shape.empty() && info.shape[0].symbolic() && info.shape[0].factor() == 1 &&
         std::none_of(info.shape.begin() + 1, info.shape.end(), symbolic);
}

int64_t DimOf(const Dim& dim) { return dim.symbolic() ? -1 : dim.factor(); }

void FillTensor(const TensorInfo& info, inference::ModelMetadataResponse::TensorMetadata& message) {
  message.set_name(info.name);
  message.set_datatype(Datatype(info.dtype));
  for (const Dim& dim : info.shape) message.add_shape(DimOf(dim));
}

// skip: dims at the front that are left out.
template <typename Message>
void FillTensor(const TensorInfo& info, size_t skip, Message& message) {
  message.set_name(info.name);
  message.set_data_type(info.dtype == DType::kF32 ? inference::TYPE_FP32 : inference::TYPE_INT32);
  for (size_t i = skip; i < info.shape.size(); ++i) message.add_dims(DimOf(info.shape[i]));
}

void FillDuration(uint64_t count, uint64_t ns, inference::StatisticDuration& message) {
  message.set_count(count);
  message.set_ns(ns);
}

void FillDuration(const DurationSum& sum, inference::StatisticDuration& message) {
  FillDuration(sum.count, sum.ns, message);
}

}  // namespace

std::optional<int64_t> MaxBatchSize(const LoadedModel& model) {
  const Program& program = *model.program;
  const auto batched = [](const std::vector<TensorInfo>& infos) {
    return std::all_of(infos.begin(), infos.end(), RowsAreTheFirstDim);
  };
  const bool independent = std::all_of(program.outputs().begin(), program.outputs().end(),
                                       [](const TensorInfo& info) { return info.row_independent; });
  if (!program.symbolic() || program.min_rows() != 1 || !independent) return std::nullopt;
  if (!batched(program.inputs()) || !batched(program.outputs())) return std::nullopt;
  return model.max_rows;
}

void FillMetadata(const ServedModel& model, inference::ModelMetadataResponse& message) {
  message.set_name(model.name());
  message.set_platform(kPlatform);
  for (const TensorInfo& info : model.program().inputs()) FillTensor(info, *message.add_inputs());
  for (const TensorInfo& info : model.program().outputs()) FillTensor(info, *message.add_outputs());
}

void FillConfig(const ServedModel& model, inference::ModelConfig& message) {
  message.set_name(model.name());
  message.set_platform(kPlatform);
  message.set_backend("rml");
  const std::optional<int64_t> batch = MaxBatchSize(model.loaded());
  message.set_max_batch_size(
      static_cast<int32_t>(std::min<int64_t>(batch.value_or(0), std::numeric_limits<int32_t>::max())));
  const size_t skip = batch ? 1 : 0;
  for (const TensorInfo& info : model.program().inputs()) FillTensor(info, skip, *message.add_input());
  for (const TensorInfo& info : model.program().outputs()) FillTensor(info, skip, *message.add_output());
  inference::ModelInstanceGroup& group = *message.add_instance_group();
  group.set_name(model.name());
  group.set_kind(inference::ModelInstanceGroup::KIND_CPU);
  group.set_count(model.loaded().options.instances);
}

void FillStatistics(ServedModel& model, inference::ModelStatistics& message) {
  const InferenceStatistics::Snapshot statistics = model.metrics().inference.Read();
  message.set_name(model.name());
  message.set_version(absl::StrCat(model.version()));
  message.set_last_inference(statistics.last_ms);
  message.set_inference_count(statistics.rows);
  message.set_execution_count(statistics.compute.count);
  inference::InferStatistics& all = *message.mutable_inference_stats();
  FillDuration(statistics.success, *all.mutable_success());
  FillDuration(statistics.fail, *all.mutable_fail());
  FillDuration(statistics.queue, *all.mutable_queue());
  FillDuration(statistics.input, *all.mutable_compute_input());
  FillDuration(statistics.compute, *all.mutable_compute_infer());
  FillDuration(statistics.output, *all.mutable_compute_output());
  all.mutable_cache_hit();
  all.mutable_cache_miss();
  for (const InferenceStatistics::PerRows& per_rows : statistics.per_rows) {
    inference::InferBatchStatistics& batch = *message.add_batch_stats();
    batch.set_batch_size(static_cast<uint64_t>(per_rows.rows));
    FillDuration(per_rows.count, per_rows.input_ns, *batch.mutable_compute_input());
    FillDuration(per_rows.count, per_rows.compute_ns, *batch.mutable_compute_infer());
    FillDuration(per_rows.count, per_rows.output_ns, *batch.mutable_compute_output());
  }
  inference::MemoryUsage& memory = *message.add_memory_usage();
  memory.set_type("CPU");
  memory.set_byte_size(static_cast<uint64_t>(model.metrics().memory_bytes.load(std::memory_order_relaxed)));
}

}  // namespace rml
