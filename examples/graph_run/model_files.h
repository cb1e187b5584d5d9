// The files of a model, and inputs for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/tensor.h"
#include "engine/exec/program.h"

namespace rml {

// "out/mlp" and "out/mlp.json" both name the graph file out/mlp.json.
std::string GraphPath(const std::string& model);

// The golden file that belongs to a graph file: NAME.golden.safetensors beside it, or golden.safetensors beside a
// model.json as model repositories have it.
std::string GoldenPath(const std::string& graph_path);

// Tensors input.0, input.1, ... of a safetensors file, one per input of the model; other tensors are left alone.
absl::StatusOr<std::vector<Tensor>> ReadInputs(const std::string& path, const Program& program);

// True if the file holds a tensor output.0, that is, something to check against.
absl::StatusOr<bool> HasOutputs(const std::string& path);

// Inputs for `rows` rows: every f32 is 0.5 and every i32 is 0, a valid index wherever one is needed.
absl::StatusOr<std::vector<Tensor>> DefaultInputs(const Program& program, int64_t rows);

// Writes output.0, output.1, ...
absl::Status WriteOutputs(const std::string& path, const std::vector<Tensor>& outputs);

}  // namespace rml
