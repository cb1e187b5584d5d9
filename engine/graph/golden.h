// Golden files: a framework's own inputs and outputs for a model, and the tolerance within which they count as equal.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/tensor.h"

namespace rml {

struct Golden {
  std::vector<Tensor> inputs;   // tensors input.0, input.1, ...
  std::vector<Tensor> outputs;  // tensors output.0, ...
  double atol = 1e-4;           // metadata "atol" and "rtol": |got - want| <= atol + rtol * max|want|
  double rtol = 1e-4;
};

// NotFound if there is no such file; InvalidArgument naming the tensor otherwise, also for tensors of other names.
absl::StatusOr<Golden> ReadGolden(const std::string& path);

// How far an output is from the framework's, and how far it may be.
struct OutputError {
  double error = 0;    // MaxAbsError()
  double allowed = 0;  // atol + rtol * max|want|; elements of `want` that are not finite count as nothing
  bool within() const { return error <= allowed; }
};

// One entry per output of the golden file. Errors: InvalidArgument if counts, types or shapes differ: "output.0 is
// f32[2]; expected f32[3], as the model gives".
absl::StatusOr<std::vector<OutputError>> CompareOutputs(absl::Span<const ConstTensorView> got, const Golden& want);

// The largest |got - want| over all elements; infinity where one is NaN or infinite and the other is not the same.
// Requires equal types and shapes. i32 is compared as numbers.
double MaxAbsError(const ConstTensorView& got, const ConstTensorView& want);

}  // namespace rml
