// What holds for every request that is decoded and checked, whatever its protocol: views lie in readable memory and have the
// model's types and shapes; an error can be sent: short, UTF-8, its details within what gRPC's trailers hold.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "engine/exec/executor.h"
#include "engine/graph/graph_file.h"
#include "google/rpc/error_details.pb.h"
#include "server/service/problems.h"
#include "server/service/request_check.h"
#include "tests/fuzz/require.h"
#include "tests/server/service/every_input.h"

namespace rml {

inline constexpr size_t kMaxTrailerBytes = 8192;

inline std::shared_ptr<const Program> MakeProgram() {
  auto graph = ReadGraph(kEveryInput, "");
  Require(graph.ok(), "the model cannot be read");
  auto program = Program::Compile(*std::move(graph));
  Require(program.ok(), "the model cannot be compiled");
  return *std::move(program);
}

inline void RequireSendable(const absl::Status& status) {
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

inline void RequireSound(const CheckedRequest& checked, const Program& program) {
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

// `check` makes a request of the fuzzer's bytes and holds it against these bounds; what passes is run.
template <typename Check>
void CheckAndRun(Check check) {
  static const auto* const program = new std::shared_ptr<const Program>(MakeProgram());
  static auto* const executor = Executor::Create(*program)->release();
  const absl::StatusOr<CheckedRequest> checked =
      check(ModelBounds{**program, (*program)->max_rows(), "model 'fuzz' version 1"});
  if (!checked.ok()) return RequireSendable(checked.status());
  RequireSound(*checked, **program);
  std::vector<Tensor> outputs;
  const absl::Status status = executor->Run(checked->inputs, outputs);
  Require(status.ok(), absl::StrCat("a checked request is refused: ", status.message()));
}

}  // namespace rml
