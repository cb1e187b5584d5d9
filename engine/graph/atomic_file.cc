#include "engine/graph/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/graph/mapped_file.h"

namespace rml {
namespace {

absl::Status WriteError(const std::string& path, const char* doing, int error) {
  const std::string message = absl::StrFormat("%s file '%s': %s", doing, FileName(path), std::strerror(error));
  if (error == ENOSPC || error == EDQUOT) return absl::ResourceExhaustedError(message);
  if (error == EACCES || error == EPERM || error == EROFS) return absl::PermissionDeniedError(message);
  return absl::InternalError(message);
}

absl::Status WriteAll(int fd, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return WriteError(path, "writing", errno);
    bytes.remove_prefix(written);
  }
  return fsync(fd) == 0 ? absl::OkStatus() : WriteError(path, "flushing", errno);
}

}  // namespace

absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes) {
  const std::string temporary = absl::StrCat(path, ".tmp.", getpid());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return WriteError(path, "creating", errno);
  absl::Status status = WriteAll(fd, path, bytes);
  if (close(fd) != 0 && status.ok()) status = WriteError(path, "closing", errno);
  if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0) status = WriteError(path, "renaming", errno);
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

}  // namespace rml
