// Runs an exported model inside a program of one's own: embed MODEL.json. Inputs are zeros, for the smallest row count.
#include <cstdio>

#include "engine/base/status_macros.h"
#include "engine/exec/executor.h"

absl::Status RunModel(const char* path) {
  ASSIGN_OR_RETURN(auto program, rml::Program::Load(path));
  ASSIGN_OR_RETURN(auto executor, rml::Executor::Create(program));
  ASSIGN_OR_RETURN(auto inputs, program->ZeroInputs(program->min_rows()));
  std::vector<rml::Tensor> outputs;
  RETURN_IF_ERROR(executor->Run(rml::Views(inputs), outputs));
  for (const rml::Tensor& output : outputs) std::puts(rml::ToString(output.shape()).c_str());
  return absl::OkStatus();
}

int main(int argc, char** argv) {
  const absl::Status status = argc == 2 ? RunModel(argv[1]) : absl::InvalidArgumentError("usage: embed MODEL.json");
  return status.ok() ? 0 : (std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1);
}
