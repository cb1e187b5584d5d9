// Asks a server for the outputs of a model: ask HOST:PORT MODEL. Inputs are zeros; dims that vary get the fewest rows.
#include <cstdio>
#include <string>
#include <vector>

#include "client/cpp/client.h"
#include "engine/base/status_macros.h"

absl::Status Ask(const std::string& address, const std::string& name) {
  ASSIGN_OR_RETURN(const auto client, rml::Client::Connect(address));
  ASSIGN_OR_RETURN(const rml::v1::Model model, client->GetModel(name));
  std::vector<rml::Tensor> zeros;
  rml::RunCall call{.model = name};
  for (const rml::v1::TensorInfo& info : model.inputs()) {
    rml::Shape shape;
    for (const int64_t dim : info.shape()) shape.push_back(dim < 0 ? model.min_rows() : dim);
    zeros.emplace_back(info.dtype() == rml::v1::I32 ? rml::DType::kI32 : rml::DType::kF32, shape);
    call.inputs.push_back({info.name(), zeros.back().view()});
  }
  ASSIGN_OR_RETURN(const rml::RunResult result, client->Run(call));
  for (const rml::OutputTensor& output : result.outputs) {
    std::printf("%s %s\n", output.name.c_str(), rml::ToString(output.tensor.shape()).c_str());
  }
  return absl::OkStatus();
}

int main(int argc, char** argv) {
  const absl::Status status =
      argc == 3 ? Ask(argv[1], argv[2]) : absl::InvalidArgumentError("usage: ask HOST:PORT MODEL");
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
