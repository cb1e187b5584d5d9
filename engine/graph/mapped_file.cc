#include "engine/graph/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_format.h"

namespace rml {
namespace {

absl::Status OpenError(const std::string& path, int error) {
  const std::string message = absl::StrFormat("file '%s': %s", FileName(path), std::strerror(error));
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(message);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(message);
  return absl::InvalidArgumentError(message);
}

}  // namespace

std::string FileName(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name.empty() ? path : name;
}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path, int64_t max_bytes) {
  // Not blocking: a pipe in a file's place must not hang the reader.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return OpenError(path, errno);
  struct stat info;
  const int stat_result = fstat(fd, &info);
  absl::Status status;
  if (stat_result != 0) {
    status = OpenError(path, errno);
  } else if (!S_ISREG(info.st_mode)) {
    status = absl::InvalidArgumentError(absl::StrFormat("'%s' is no regular file", FileName(path)));
  } else if (info.st_size > max_bytes) {
    status = absl::InvalidArgumentError(
        absl::StrFormat("file '%s' has %d bytes; expected at most %d", FileName(path), info.st_size, max_bytes));
  }
  const char* data = nullptr;
  if (status.ok() && info.st_size > 0) {
    void* mapping = mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapping == MAP_FAILED) {
      status = OpenError(path, errno);
    } else {
      data = static_cast<const char*>(mapping);
    }
  }
  close(fd);
  if (!status.ok()) return status;
  return std::shared_ptr<const MappedFile>(new MappedFile(data, info.st_size));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

}  // namespace rml
