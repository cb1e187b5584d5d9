// What a request and its answer are in one inference protocol. Bytes in, bytes out: no gRPC here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/tensor.h"

namespace google::protobuf::io {
class ZeroCopyInputStream;
}

namespace rml {

using ResponseBytes = google::protobuf::io::ZeroCopyInputStream;

// Where a request's time went, as the server saw it.
struct ServerTiming {
  double queue_seconds = 0;
  double compute_seconds = 0;
};

// An answer, parsed but not yet understood. The fastest check of one is that its bytes are those of a checked one.
class Answer {
 public:
  virtual ~Answer() = default;
  // Names, types, shapes and elements of all outputs in one run of bytes: equal for equal outputs, and only then.
  virtual std::string Fingerprint() const = 0;
  // InvalidArgument, naming the output, for what is not a tensor.
  virtual absl::StatusOr<std::vector<Tensor>> Outputs() const = 0;
  virtual std::optional<ServerTiming> timing() const = 0;
};

// Immutable and thread-safe.
class Protocol {
 public:
  virtual ~Protocol() = default;

  virtual std::string name() const = 0;  // for reports

  // The call that tells the names of a model's inputs: "/rml.v1.Inference/GetModel".
  virtual std::string DescribeMethod() const = 0;
  virtual std::string DescribeRequest(const std::string& model) const = 0;
  virtual absl::StatusOr<std::vector<std::string>> InputNames(ResponseBytes& response) const = 0;

  // The call that is measured.
  virtual std::string RunMethod() const = 0;
  // Requires a name for every input.
  virtual std::string RunRequest(const std::string& model, const std::vector<std::string>& names,
                                 const std::vector<Tensor>& inputs) const = 0;
  // InvalidArgument if the bytes are no response.
  virtual absl::StatusOr<std::unique_ptr<Answer>> ParseAnswer(ResponseBytes& response) const = 0;
};

// rml.v1.Inference.
std::unique_ptr<Protocol> RmlProtocol();
// inference.GRPCInferenceService, the Open Inference Protocol v2, as Triton, OpenVINO Model Server and others speak it.
std::unique_ptr<Protocol> InferenceProtocol();

}  // namespace rml
