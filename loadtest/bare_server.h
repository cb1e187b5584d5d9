// A gRPC server of rml.v1.Inference with nothing behind it: the same messages, parsed and serialised by generated code, the
// same callback API and transport as rml-server. What a load test finds here is what no server of these messages can beat.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/graph/golden.h"
#include "rml/v1/inference.pb.h"

namespace rml {

// Fills the response, or says why not; empty: the call is left unanswered until the caller gives up. Called on gRPC's
// threads, by several at a time.
using RunHandler = std::function<std::optional<absl::Status>(const v1::RunRequest&, v1::RunResponse&)>;

class BareServer {
 public:
  // Listens on 127.0.0.1; port 0: any free one. `model` is what GetModel answers, whatever it is asked for.
  // Unavailable if the port is taken.
  static absl::StatusOr<std::unique_ptr<BareServer>> Start(int port, const v1::Model& model, RunHandler handler);
  ~BareServer();  // ends calls that are left unanswered

  std::string address() const;  // "127.0.0.1:43210"

 private:
  struct Impl;  // holds gRPC
  explicit BareServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A model named `name` that takes the golden inputs, as GetModel describes it.
v1::Model GoldenModel(const std::string& name, const Golden& golden);

// Answers every request by the golden outputs, which are copied into the response each time, as a server has to.
RunHandler GoldenHandler(std::shared_ptr<const Golden> golden);

}  // namespace rml
