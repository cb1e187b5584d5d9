// Files that are there whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace rml {

struct FileToWrite {
  std::string path;
  std::string_view bytes;
};

// Writes temporary files beside the paths, flushes them to disk and renames them, in order, once all are there: after a
// full disk the old files are as they were, after a crash too or replaced up to one of them; and no temporary file is left
// by an error that was reported. What a link points to is replaced, not the link.
// Errors name the last path component and what was done: NotFound (the folder), PermissionDenied, ResourceExhausted (disk,
// quota, file size; a process that may meet its file size limit has to ignore SIGXFSZ), DataLoss (the device),
// InvalidArgument, also for a folder, pipe or device in the file's place.
absl::Status WriteFilesAtomically(absl::Span<const FileToWrite> files);
absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes);

}  // namespace rml
