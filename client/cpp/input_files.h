// Inputs for a run, from a file or made up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "client/cpp/npz.h"
#include "engine/base/tensor.h"
#include "rml/v1/inference.pb.h"

namespace rml {

// The arrays of an .npz file, or the F32 and I32 tensors of any other file, read as safetensors; its tensors output.i and
// padding are left out. Errors name the file.
absl::StatusOr<std::vector<NamedArray>> ReadInputFile(const std::string& path);

// Renames input.0, input.1, ... to the names of the model's inputs in order; arrays with other names keep them. An error
// lists the model's inputs if input.i has no counterpart.
absl::Status UseModelNames(absl::Span<const v1::TensorInfo> inputs, std::vector<NamedArray>& arrays);

// Inputs of a model for `rows` rows: f32 uniform in [-1, 1), i32 0 or 1; the same for the same seed.
absl::StatusOr<std::vector<NamedArray>> RandomInputs(absl::Span<const v1::TensorInfo> inputs, int64_t rows,
                                                     uint32_t seed);

}  // namespace rml
