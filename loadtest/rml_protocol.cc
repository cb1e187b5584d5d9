#include <google/protobuf/io/zero_copy_stream.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cpp/tensor_message.h"
#include "engine/base/status_macros.h"
#include "loadtest/protocol.h"
#include "rml/v1/inference.pb.h"

namespace rml {
namespace {

class RmlAnswer : public Answer {
 public:
  explicit RmlAnswer(v1::RunResponse response) : response_(std::move(response)) {}

  std::string Fingerprint() const override {
    std::string bytes;
    for (const v1::Tensor& output : response_.outputs()) output.AppendToString(&bytes);
    return bytes;
  }

  absl::StatusOr<std::vector<Tensor>> Outputs() const override {
    std::vector<Tensor> tensors;
    for (const v1::Tensor& output : response_.outputs()) {
      ASSIGN_OR_RETURN(Tensor tensor, FromMessage(output));
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  }

  std::optional<ServerTiming> timing() const override {
    if (!response_.has_timing()) return std::nullopt;
    return ServerTiming{response_.timing().queue_seconds(), response_.timing().compute_seconds()};
  }

 private:
  const v1::RunResponse response_;
};

class Rml : public Protocol {
 public:
  std::string name() const override { return "rml.v1"; }
  std::string DescribeMethod() const override { return "/rml.v1.Inference/GetModel"; }

  std::string DescribeRequest(const std::string& model) const override {
    v1::GetModelRequest request;
    request.set_name(model);
    return request.SerializeAsString();
  }

  absl::StatusOr<std::vector<std::string>> InputNames(ResponseBytes& bytes) const override {
    v1::GetModelResponse response;
    if (!response.ParseFromZeroCopyStream(&bytes)) {
      return absl::InvalidArgumentError("expected a message rml.v1.GetModelResponse");
    }
    std::vector<std::string> names;
    for (const v1::TensorInfo& input : response.model().inputs()) names.push_back(input.name());
    return names;
  }

  std::string RunMethod() const override { return "/rml.v1.Inference/Run"; }

  std::string RunRequest(const std::string& model, const std::vector<std::string>& names,
                         const std::vector<Tensor>& inputs) const override {
    v1::RunRequest request;
    request.set_model(model);
    for (size_t i = 0; i < inputs.size(); ++i) ToMessage(names[i], inputs[i].view(), *request.add_inputs());
    return request.SerializeAsString();
  }

  absl::StatusOr<std::unique_ptr<Answer>> ParseAnswer(ResponseBytes& bytes) const override {
    v1::RunResponse response;
    if (!response.ParseFromZeroCopyStream(&bytes)) {
      return absl::InvalidArgumentError("expected a message rml.v1.RunResponse");
    }
    return std::unique_ptr<Answer>(std::make_unique<RmlAnswer>(std::move(response)));
  }
};

}  // namespace

std::unique_ptr<Protocol> RmlProtocol() { return std::make_unique<Rml>(); }

}  // namespace rml
