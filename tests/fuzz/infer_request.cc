// Fuzz target: the bytes of an inference.ModelInferRequest, decoded and checked against a small model, and run if they pass.
#include "server/service/infer_messages.h"
#include "tests/fuzz/checked_request.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  inference::ModelInferRequest request;
  if (!request.ParseFromArray(data, static_cast<int>(size))) return 0;
  const absl::StatusOr<int64_t> version = rml::ParseVersion(request.model_name(), request.model_version());
  if (!version.ok()) rml::RequireSendable(version.status());
  rml::CheckAndRun([&](const rml::ModelBounds& model) { return rml::CheckInferRequest(request, model); });
  return 0;
}
