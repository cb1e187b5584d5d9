// Finds the model versions of a repository folder:
//   <root>/<model>/<version>/{model.json, model.safetensors, golden.safetensors?}
//   <root>/<model>/config.textproto?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/repository/model_source.h"

namespace rml {

// A version that cannot be served, or a model of which none can, and why. It is listed as failed, so that nobody looks for
// it in vain.
struct UnusableModel {
  enum class Why : uint8_t {
    kMissing,     // there is no such folder, or none that is a version
    kCannotTell,  // a config that is not all right, a folder that cannot be read: nothing is known of the versions
  };

  std::string name;     // as the folder is called; where that is no model name, at most 60 printable characters of it
  int64_t version = 0;  // 0: the whole model
  std::string reason;
  Why why = Why::kCannotTell;
};

struct ScanResult {
  std::vector<ModelSource> models;  // sorted by name, the highest version of each first
  std::vector<UnusableModel> unusable;
};

// Model names are folder names of letters, digits, '.', '_' and '-', at most 128 of them; versions are positive integers
// without leading zeros. Names that start with '.' and plain files are passed over, everything else that does not fit
// makes the model unusable or is ignored beside a version that does fit. Which versions are served is up to the model's
// config.textproto, without one the highest; a file that is not all right makes the model unusable.
// Errors: NotFound if `root` is not a folder, PermissionDenied if it may not be read, ResourceExhausted if it cannot be
// (descriptors, memory, a device that fails), with the system's reason.
absl::StatusOr<ScanResult> ScanRepository(const std::string& root);

// "NAME=DIR" of the command line, as version 1. InvalidArgument says what is wrong with it.
absl::StatusOr<ModelSource> ParseModelFlag(const std::string& flag);

}  // namespace rml
