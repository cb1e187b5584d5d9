#include "engine/graph/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

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

// Makes a rename last: without it a crash may bring the old name back.
void FlushFolder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int fd = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes) {
  std::string temporary = path + ".XXXXXX";  // mkostemp puts random letters there
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return WriteError(path, "creating", errno);
  absl::Status status = fchmod(fd, 0644) == 0 ? WriteAll(fd, path, bytes) : WriteError(path, "creating", errno);
  if (close(fd) != 0 && status.ok()) status = WriteError(path, "closing", errno);
  if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0) status = WriteError(path, "renaming", errno);
  if (status.ok()) {
    FlushFolder(path);
  } else {
    unlink(temporary.c_str());
  }
  return status;
}

}  // namespace rml
