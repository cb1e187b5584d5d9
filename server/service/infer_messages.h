// The Open Inference Protocol's requests and responses of inferences, to and from what the server works with.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "engine/base/tensor.h"
#include "inference/grpc_service.pb.h"
#include "server/service/request_check.h"
#include "server/service/run_job.h"

namespace rml {

// "FP32" or "INT32": what the protocol calls the types that models take.
const char* Datatype(DType dtype);

// The number of the version that a request names in `field`; 0 if it names none. InvalidArgument if `version` is no positive
// integer.
absl::StatusOr<int64_t> ParseVersion(const std::string& model, const std::string& version,
                                     const char* field = "version");

// CheckRequest() for a whole ModelInferRequest, with what the protocol adds: one raw buffer for each input, or contents in
// each, not both; and parameters, of which `timeout`, `priority` and `triton_enable_empty_final_response` are honoured and
// all others refused.
absl::StatusOr<CheckedRequest> CheckInferRequest(const inference::ModelInferRequest& request, const ModelBounds& model);

// Writes the outputs asked for, always as raw bytes: clients look for them there only.
void FillInferResponse(const inference::ModelInferRequest& request, const RunResult& result,
                       inference::ModelInferResponse& response);

}  // namespace rml
