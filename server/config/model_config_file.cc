#include "server/config/model_config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"

namespace rml {
namespace {

absl::Status CannotRead(int error) {
  const std::string message =
      absl::StrFormat("%s: %s; expected a file of text", kModelConfigFile, std::strerror(error));
  return error == EACCES || error == EPERM ? absl::PermissionDeniedError(message) : absl::InvalidArgumentError(message);
}

// One byte more than a config may have, so that whoever parses it sees that it is too large.
absl::StatusOr<std::string> ReadUpToLimit(int fd) {
  std::string text(kMaxModelConfigBytes + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(fd, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotRead(errno);
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  text.resize(size);
  return text;
}

absl::StatusOr<std::string> ReadRegularFile(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) return CannotRead(errno);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrFormat("%s is %s; expected a file", kModelConfigFile,
                                                      S_ISDIR(info.st_mode) ? "a folder" : "no regular file"));
  }
  return ReadUpToLimit(fd);
}

// Nothing if there is no file.
absl::StatusOr<std::optional<std::string>> ReadIfThere(const std::string& path) {
  // Not blocking: a pipe in the file's place must not hang the reader.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    struct stat link;
    if (errno != ENOENT) return CannotRead(errno);
    if (lstat(path.c_str(), &link) != 0) return std::nullopt;
    return absl::InvalidArgumentError(absl::StrFormat("%s is a link to nothing; expected a file", kModelConfigFile));
  }
  absl::StatusOr<std::string> text = ReadRegularFile(fd);
  close(fd);
  if (!text.ok()) return text.status();
  return *std::move(text);
}

}  // namespace

absl::StatusOr<ModelConfig> ReadModelConfig(const std::string& directory) {
  ASSIGN_OR_RETURN(const std::optional<std::string> text, ReadIfThere(directory + "/" + kModelConfigFile));
  return text ? ParseModelConfig(*text) : ModelConfig();
}

}  // namespace rml
