// Runs an exported model inside a program of one's own: embed MODEL.json. Inputs are zeros, for the smallest row count.
#include <cstdio>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/exec/executor.h"

absl::Status RunModel(const char* path) {
  ASSIGN_OR_RETURN(auto program, rml::Program::Load(path));
  ASSIGN_OR_RETURN(auto executor, rml::Executor::Create(program));
  std::vector<rml::Tensor> inputs, outputs;
  std::vector<rml::ConstTensorView> views;
  for (const rml::TensorInfo& info : program->inputs()) {
    rml::Shape shape;
    for (const rml::Dim& dim : info.shape) shape.push_back(dim.At(program->min_rows()));
    inputs.emplace_back(info.dtype, shape);
    views.push_back(inputs.back().view());
  }
  RETURN_IF_ERROR(executor->Run(views, outputs));
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::printf("%s %s\n", program->outputs()[i].name.c_str(), rml::ToString(outputs[i].shape()).c_str());
  }
  return absl::OkStatus();
}

int main(int argc, char** argv) {
  const absl::Status status = argc == 2 ? RunModel(argv[1]) : absl::InvalidArgumentError("usage: embed MODEL.json");
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
