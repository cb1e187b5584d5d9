#include <google/protobuf/io/zero_copy_stream.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cpp/tensor_message.h"
#include "engine/base/status_macros.h"
#include "inference/grpc_service.pb.h"
#include "loadtest/protocol.h"
#include "rml/v1/inference.pb.h"

namespace rml {
namespace {

using OutputTensor = inference::ModelInferResponse::InferOutputTensor;

class InferAnswer : public Answer {
 public:
  explicit InferAnswer(inference::ModelInferResponse response) : response_(std::move(response)) {}

  std::string Fingerprint() const override {
    std::string bytes;
    for (const OutputTensor& output : response_.outputs()) output.AppendToString(&bytes);
    for (const std::string& raw : response_.raw_output_contents()) absl::StrAppend(&bytes, raw.size(), ":", raw);
    return bytes;
  }

  absl::StatusOr<std::vector<Tensor>> Outputs() const override {
    const int raw = response_.raw_output_contents_size();
    if (raw != 0 && raw != response_.outputs_size()) {
      return absl::InvalidArgumentError(absl::StrFormat("%d raw_output_contents; expected one for each of %d outputs",
                                                        raw, response_.outputs_size()));
    }
    std::vector<Tensor> tensors;
    for (int i = 0; i < response_.outputs_size(); ++i) {
      ASSIGN_OR_RETURN(Tensor tensor,
                       ToTensor(response_.outputs(i), raw > 0 ? &response_.raw_output_contents(i) : nullptr));
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  }

  // The protocol has no place for it.
  std::optional<ServerTiming> timing() const override { return std::nullopt; }

 private:
  // By way of rml.v1's tensor, whose reader checks type, shape and number of elements.
  static absl::StatusOr<Tensor> ToTensor(const OutputTensor& output, const std::string* raw) {
    const bool floats = output.datatype() == "FP32";
    if (!floats && output.datatype() != "INT32") {
      return absl::InvalidArgumentError(
          absl::StrFormat("tensor '%s': datatype '%s'; expected FP32 or INT32", output.name(), output.datatype()));
    }
    v1::Tensor message;
    message.set_name(output.name());
    message.set_dtype(floats ? v1::F32 : v1::I32);
    *message.mutable_shape() = output.shape();
    if (raw != nullptr) {
      message.set_raw(*raw);
    } else {
      *message.mutable_f32() = output.contents().fp32_contents();
      *message.mutable_i32() = output.contents().int_contents();
    }
    return FromMessage(message);
  }

  const inference::ModelInferResponse response_;
};

class Inference : public Protocol {
 public:
  std::string name() const override { return "Open Inference Protocol"; }
  std::string DescribeMethod() const override { return "/inference.GRPCInferenceService/ModelMetadata"; }

  std::string DescribeRequest(const std::string& model) const override {
    inference::ModelMetadataRequest request;
    request.set_name(model);
    return request.SerializeAsString();
  }

  absl::StatusOr<std::vector<std::string>> InputNames(ResponseBytes& bytes) const override {
    inference::ModelMetadataResponse response;
    if (!response.ParseFromZeroCopyStream(&bytes)) {
      return absl::InvalidArgumentError("expected a message inference.ModelMetadataResponse");
    }
    std::vector<std::string> names;
    for (const auto& input : response.inputs()) names.push_back(input.name());
    return names;
  }

  std::string RunMethod() const override { return "/inference.GRPCInferenceService/ModelInfer"; }

  std::string RunRequest(const std::string& model, const std::vector<std::string>& names,
                         const std::vector<Tensor>& inputs) const override {
    inference::ModelInferRequest request;
    request.set_model_name(model);
    for (size_t i = 0; i < inputs.size(); ++i) {
      auto& input = *request.add_inputs();
      input.set_name(names[i]);
      input.set_datatype(inputs[i].dtype() == DType::kF32 ? "FP32" : "INT32");
      for (const int64_t dim : inputs[i].shape().dims()) input.add_shape(dim);
      request.add_raw_input_contents(inputs[i].raw(), static_cast<size_t>(inputs[i].shape().num_bytes()));
    }
    return request.SerializeAsString();
  }

  absl::StatusOr<std::unique_ptr<Answer>> ParseAnswer(ResponseBytes& bytes) const override {
    inference::ModelInferResponse response;
    if (!response.ParseFromZeroCopyStream(&bytes)) {
      return absl::InvalidArgumentError("expected a message inference.ModelInferResponse");
    }
    return std::unique_ptr<Answer>(std::make_unique<InferAnswer>(std::move(response)));
  }
};

}  // namespace

std::unique_ptr<Protocol> InferenceProtocol() { return std::make_unique<Inference>(); }

}  // namespace rml
