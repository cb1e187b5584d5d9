// What the Open Inference Protocol says about a model: ModelMetadata, ModelConfig, ModelStatistics.
#pragma once

#include <cstdint>
#include <optional>

#include "inference/grpc_service.pb.h"
#include "server/repository/model_repository.h"

namespace rml {

// The rows that a request may have if the first dim of every input and output is its rows, their number free from 1 on, and
// each row stands for itself: a batch as the protocol means it, which ModelConfig then leaves out of the dims.
std::optional<int64_t> MaxBatchSize(const LoadedModel& model);

// All but the versions.
void FillMetadata(const ServedModel& model, inference::ModelMetadataResponse& message);
void FillConfig(const ServedModel& model, inference::ModelConfig& message);
void FillStatistics(ServedModel& model, inference::ModelStatistics& message);

}  // namespace rml
