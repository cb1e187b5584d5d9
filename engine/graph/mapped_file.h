// A file's bytes, mapped read-only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace rml {

// Immutable. The mapping is private, page-aligned, and unmapped on destruction. A file that another process truncates
// while it is mapped ends this process when the missing part is read: replace files by renaming, never in place.
class MappedFile {
 public:
  // NotFound, PermissionDenied, or InvalidArgument for something that is no regular file or is larger than max_bytes.
  // Messages name the last path component.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Open(const std::string& path, int64_t max_bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  MappedFile(const char* data, size_t size) : data_(data), size_(size) {}

  const char* data_;
  size_t size_;
};

// The last component of a path (all of it if it ends in a slash): what errors show, so that no host path leaves the process.
std::string FileName(const std::string& path);

}  // namespace rml
