// Finds the model versions of a repository folder:
//   <root>/<model>/<version>/{model.json, model.safetensors, golden.safetensors?}
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/repository/model_source.h"

namespace rml {

// A model of which no version can be served, and why. It is listed as failed, so that nobody looks for it in vain.
struct UnusableModel {
  std::string name;
  std::string reason;
};

struct ScanResult {
  std::vector<ModelSource> models;  // the highest version of each, sorted by name
  std::vector<UnusableModel> unusable;
};

// Model names are folder names of letters, digits, '.', '_' and '-', at most 128 of them; versions are positive integers
// without leading zeros. Names that start with '.' and plain files are passed over, everything else that does not fit
// makes the model unusable or is ignored beside a version that does fit.
// Errors: NotFound if `root` is not a folder, PermissionDenied if it cannot be read.
absl::StatusOr<ScanResult> ScanRepository(const std::string& root);

// "NAME=DIR" of the command line, as version 1. InvalidArgument says what is wrong with it.
absl::StatusOr<ModelSource> ParseModelFlag(const std::string& flag);

}  // namespace rml
