// Cases as files: NAME.json and NAME.safetensors as any model, and NAME.inputs.safetensors with input.0, input.1, ...
// and, as metadata, the row counts to run ("3,1,3") and the seed that the case came from.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/engine/random/random_case.h"

namespace rml {

// Makes `dir` if it is not there.
absl::Status WriteCase(const RandomCase& random_case, const std::string& dir, const std::string& name);
absl::StatusOr<RandomCase> ReadCase(const std::string& json_path);

// Every NAME.json in `dir`, sorted.
std::vector<std::string> FindCases(const std::string& dir);

// For checks outside of C++: NAME.values.safetensors beside the case, at its largest row count. value.N is what node
// output N is by the reference, given the references of the values before it; bound.N how much an element may differ
// (node_tolerance.h; -1: anything goes) for outputs that need not be exact. Metadata: "rows", and "bits" and "values",
// the ids of outputs that agree in bits, or as numbers ("3,5").
absl::Status WriteValues(const RandomCase& random_case, const std::string& dir, const std::string& name);

}  // namespace rml
