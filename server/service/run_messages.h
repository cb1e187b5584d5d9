// rml.v1's requests and responses, to and from what the server works with.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "engine/exec/program.h"
#include "rml/v1/inference.pb.h"
#include "server/service/request_check.h"
#include "server/service/run_job.h"

namespace rml {

using TensorMessages = google::protobuf::RepeatedPtrField<v1::Tensor>;
using OutputNames = google::protobuf::RepeatedPtrField<std::string>;

v1::DType ToProto(DType dtype);

// "f32[B, 784]", for ModelInfo.
std::string Describe(const TensorInfo& info);

// CheckRequest() for the tensors of a Run or Profile request.
absl::StatusOr<CheckedRequest> CheckRequest(const TensorMessages& inputs, const OutputNames& outputs,
                                            const ModelBounds& model);

// Writes the outputs asked for, as raw bytes, or as lists if inputs came so; and what else a response holds.
void FillResponse(const v1::RunRequest& request, const RunResult& result, v1::RunResponse& response);

}  // namespace rml
