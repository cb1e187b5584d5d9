// Fuzz target: the bytes of an rml.v1.RunRequest, decoded and checked against a small model, and run if they pass. Views lie
// in readable memory and have the model's types and shapes; an error can be sent: short, UTF-8, its details within what
// gRPC's trailers hold.
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "engine/exec/executor.h"
#include "engine/graph/graph_file.h"
#include "google/rpc/error_details.pb.h"
#include "server/service/problems.h"
#include "server/service/run_messages.h"
#include "tests/fuzz/require.h"
#include "tests/server/service/every_input.h"

namespace rml {
namespace {

constexpr size_t kMaxTrailerBytes = 8192;

std::shared_ptr<const Program> MakeProgram() {
  auto graph = ReadGraph(kEveryInput, "");
  Require(graph.ok(), "the model cannot be read");
  auto program = Program::Compile(*std::move(graph));
  Require(program.ok(), "the model cannot be compiled");
  return *std::move(program);
}

void RequireSendable(const absl::Status& status) {
  Require(absl::IsInvalidArgument(status), absl::StrCat("error of another kind: ", status.ToString()));
  const std::string message(status.message());
  Require(message.size() <= kMaxMessageBytes, "the message is too long");
  // As a field of a message, because protobuf checks that strings of proto3 are UTF-8 when it parses them.
  google::rpc::BadRequest::FieldViolation probe;
  probe.set_description(message);
  Require(google::rpc::BadRequest::FieldViolation().ParseFromString(probe.SerializeAsString()),
          "the message is not UTF-8");
  const auto payload = status.GetPayload(kBadRequestType);
  Require(payload.has_value(), "an error without details");
  google::rpc::BadRequest details;
  Require(details.ParseFromString(std::string(*payload)), "the details are not UTF-8");
  Require(details.field_violations_size() > 0, "the details name no field");
  Require(message.size() + payload->size() < kMaxTrailerBytes, "the error does not fit in gRPC's trailers");
}

void RequireSound(const CheckedRequest& checked, const Program& program) {
  Require(checked.inputs.size() == program.inputs().size(), "inputs are missing");
  Require(checked.rows >= program.min_rows() && checked.rows <= program.max_rows(), "rows are out of bounds");
  for (size_t i = 0; i < checked.inputs.size(); ++i) {
    const TensorInfo& info = program.inputs()[i];
    const ConstTensorView& view = checked.inputs[i];
    Require(view.dtype == info.dtype && view.shape == ShapeAt({info.dtype, info.shape}, checked.rows),
            absl::StrCat("input '", info.name, "' has another type or shape than the model's"));
    Require(reinterpret_cast<uintptr_t>(view.data) % kElementBytes == 0, "an input is not aligned");
  }
  for (int output : checked.outputs) {
    Require(output >= 0 && output < static_cast<int>(program.outputs().size()), "an output does not exist");
  }
}

}  // namespace
}  // namespace rml

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const program = new std::shared_ptr<const rml::Program>(rml::MakeProgram());
  static auto* const executor = rml::Executor::Create(*program)->release();
  rml::v1::RunRequest request;
  if (!request.ParseFromArray(data, static_cast<int>(size))) return 0;
  const auto checked = rml::CheckRequest(request.inputs(), request.outputs(),
                                         {**program, (*program)->max_rows(), "model 'fuzz' version 1"});
  if (!checked.ok()) {
    rml::RequireSendable(checked.status());
    return 0;
  }
  rml::RequireSound(*checked, **program);
  std::vector<rml::Tensor> outputs;
  const absl::Status status = executor->Run(checked->inputs, outputs);
  rml::Require(status.ok(), absl::StrCat("a checked request is refused: ", status.message()));
  return 0;
}
