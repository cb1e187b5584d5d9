#include "server/service/run_messages.h"

#include <chrono>
#include <cstddef>

#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "server/service/received_request.h"
#include "server/service/tensor_content.h"

namespace rml {
namespace {

constexpr RequestWords kWords{.type = "dtype",
                              .types = {"f32", "i32", "i64"},
                              .lists = {"f32", "i32", "i64"},
                              .list_of = "a list of ",
                              .list_path = ".",
                              .raw = "raw",
                              .raw_apart = false,
                              .content_path = ".raw",
                              .output_path = ""};

ReceivedTensor Receive(const v1::Tensor& message) {
  ReceivedTensor tensor{.name = message.name(),
                        .shape = {message.shape().data(), static_cast<size_t>(message.shape_size())},
                        .raw = message.raw(),
                        .f32 = {message.f32().data(), static_cast<size_t>(message.f32_size())},
                        .i32 = {message.i32().data(), static_cast<size_t>(message.i32_size())},
                        .i64 = {message.i64().data(), static_cast<size_t>(message.i64_size())}};
  switch (message.dtype()) {
    case v1::DTYPE_UNSPECIFIED:
      break;
    case v1::F32:
      tensor.type = WireType::kF32;
      break;
    case v1::I32:
      tensor.type = WireType::kI32;
      break;
    case v1::I64:
      tensor.type = WireType::kI64;
      break;
    default:  // a number that this server does not know comes from a newer client
      tensor.type = WireType::kOther;
      tensor.other_type = absl::StrFormat("number %d", static_cast<int>(message.dtype()));
  }
  return tensor;
}

// Writes a copy of `tensor` to `message`.
void EncodeTensor(const Tensor& tensor, const std::string& name, bool as_list, v1::Tensor& message) {
  message.set_name(name);
  message.set_dtype(rml::ToProto(tensor.dtype()));
  const absl::Span<const int64_t> dims = tensor.shape().dims();
  message.mutable_shape()->Assign(dims.begin(), dims.end());
  if (!as_list) {
    message.set_raw(tensor.raw(), static_cast<size_t>(tensor.shape().num_bytes()));
  } else if (tensor.dtype() == DType::kF32) {
    const absl::Span<const float> elements = tensor.data<float>();
    message.mutable_f32()->Assign(elements.begin(), elements.end());
  } else {
    const absl::Span<const int32_t> elements = tensor.data<int32_t>();
    message.mutable_i32()->Assign(elements.begin(), elements.end());
  }
}

}  // namespace

v1::DType ToProto(DType dtype) { return dtype == DType::kF32 ? v1::F32 : v1::I32; }

std::string Describe(const TensorInfo& info) { return Describe(info, kWords); }

absl::StatusOr<CheckedRequest> CheckRequest(const TensorMessages& inputs, const OutputNames& outputs,
                                            const ModelBounds& model) {
  ReceivedRequest request{.words = kWords, .inputs = {}, .outputs = {outputs.begin(), outputs.end()}};
  request.inputs.reserve(static_cast<size_t>(inputs.size()));
  for (const v1::Tensor& input : inputs) request.inputs.push_back(Receive(input));
  return CheckRequest(request, model);
}

void FillResponse(const v1::RunRequest& request, const RunResult& result, v1::RunResponse& response) {
  response.set_model(result.model.name());
  response.set_version(result.model.version());
  response.set_request_id(request.request_id());
  for (const int output : result.request.outputs) {
    const auto index = static_cast<size_t>(output);
    EncodeTensor(result.outputs[index], result.model.program().outputs()[index].name, result.request.lists,
                 *response.add_outputs());
  }
  response.mutable_timing()->set_queue_seconds(std::chrono::duration<double>(result.queued).count());
  response.mutable_timing()->set_compute_seconds(std::chrono::duration<double>(result.computed).count());
}

}  // namespace rml
