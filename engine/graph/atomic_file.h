// Files that are there whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace rml {

// Writes a temporary file beside `path`, flushes it to disk and renames it: a crash or a full disk leaves the old file or
// the new one, and no temporary file after an error that was reported. Errors name the last path component.
absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes);

}  // namespace rml
