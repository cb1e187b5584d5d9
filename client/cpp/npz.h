// NumPy's files: .npy, one array, and .npz, a zip archive of them.
//
// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/tensor.h"

namespace rml {

struct NamedArray {
  std::string name;  // as given to numpy.savez
  Tensor tensor;
};

// One array: format 1 or 2, row-major, '<f4', '<i4', or '<i8' if every element fits in 32 bits. Safe on any bytes;
// InvalidArgument says what was expected.
absl::StatusOr<Tensor> ParseNpy(std::string_view bytes);

// Every array of an archive made by numpy.savez or savez_compressed. Errors name the array.
absl::StatusOr<std::vector<NamedArray>> ParseNpz(std::string_view bytes);

}  // namespace rml
