// Fuzz target: the bytes of an rml.v1.RunRequest, decoded and checked against a small model, and run if they pass.
#include "server/service/run_messages.h"
#include "tests/fuzz/checked_request.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  rml::v1::RunRequest request;
  if (!request.ParseFromArray(data, static_cast<int>(size))) return 0;
  rml::CheckAndRun(
      [&](const rml::ModelBounds& model) { return rml::CheckRequest(request.inputs(), request.outputs(), model); });
  return 0;
}
