// A file's bytes, read into memory of this process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "engine/base/buffer.h"

namespace rml {

// Immutable, 64-byte aligned, in memory of its own: what happens to the file later does not matter
// (docs/decisions/files-are-read.md).
class FileContent {
 public:
  // Errors name the last path component: NotFound, PermissionDenied, ResourceExhausted (descriptors, memory), DataLoss (the
  // device), Aborted for a file that changes while it is read, InvalidArgument for one larger than max_bytes or for
  // something that is no regular file. Never waits for a pipe or a device.
  static absl::StatusOr<std::shared_ptr<const FileContent>> Read(const std::string& path, int64_t max_bytes);

  std::string_view bytes() const {
    return {static_cast<const char*>(buffer_.data()), static_cast<size_t>(buffer_.size_bytes())};
  }

  uint32_t crc32() const { return crc32_; }  // of all bytes

  // The same with bytes from memory. ResourceExhausted.
  static absl::StatusOr<std::shared_ptr<const FileContent>> Copy(std::string_view bytes);

  FileContent(Buffer buffer, uint32_t crc32) : buffer_(std::move(buffer)), crc32_(crc32) {}

  // Keeps `content` alive. When the last copy of the result goes, so does the memory of `part`, a part of its bytes, as
  // far as it fills pages, even while the rest is kept. At most one holder a part.
  static std::shared_ptr<const void> HoldPart(std::shared_ptr<const FileContent> content, std::string_view part);

 private:
  Buffer buffer_;
  uint32_t crc32_;
};

// The last component of a path (all of it if it ends in a slash): what errors show, so that no host path leaves the
// process.
std::string FileName(const std::string& path);

}  // namespace rml
