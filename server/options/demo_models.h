// Where the models that come with rml are.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace rml {

// A repository folder, looked for relative to this program: ../share/rml/models as installed, models/ in one of the three
// folders above it as built in the source tree; else models/ in the source tree it was built from.
// NotFound says where it looked.
absl::StatusOr<std::string> DemoModels();

}  // namespace rml
