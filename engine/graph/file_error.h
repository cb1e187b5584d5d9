// Errors of the file system. Private to engine/graph.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace rml {

// "reading file 'model.json': Input/output error", for an errno. Only the last component of the path is shown: no path of
// the host leaves the process. NotFound, PermissionDenied, ResourceExhausted (disk, quota, descriptors, memory), DataLoss
// for a device that fails, else InvalidArgument.
absl::Status FileError(const std::string& doing, const std::string& path, int error);

}  // namespace rml
