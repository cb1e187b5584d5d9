// Reads a model's config.textproto.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "server/config/model_config.h"

namespace rml {

// Of the model's folder `directory`; without such a file the defaults. The file is read once and kept nowhere.
// Errors: InvalidArgument as ParseModelConfig, and where the file is no regular file, too large, or a link to nothing;
// PermissionDenied where it cannot be read. Messages name it without its folder.
absl::StatusOr<ModelConfig> ReadModelConfig(const std::string& directory);

}  // namespace rml
