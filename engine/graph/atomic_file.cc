#include "engine/graph/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/graph/file_content.h"
#include "engine/graph/file_error.h"

namespace rml {
namespace {

// One file on its way: a temporary one beside its place, which goes with the object if it was not moved there.
class StagedFile {
 public:
  explicit StagedFile(const FileToWrite& file) : path_(file.path), bytes_(file.bytes) {}
  ~StagedFile() {
    if (fd_ >= 0) close(fd_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
  }
  StagedFile(StagedFile&& other) = delete;
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  absl::Status Write() {
    RETURN_IF_ERROR(FindTarget());
    std::string name = target_ + ".XXXXXX";  // mkostemp puts random letters in the place of the six
    fd_ = mkostemp(name.data(), O_CLOEXEC);
    if (fd_ < 0) return FileError("creating", path_, errno);
    temporary_.swap(name);
    if (fchmod(fd_, 0644) != 0) return FileError("creating", path_, errno);
    for (std::string_view rest = bytes_; !rest.empty();) {
      const ssize_t written = write(fd_, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return FileError("writing", path_, errno);
      rest.remove_prefix(written);
    }
    if (fsync(fd_) != 0) return FileError("flushing", path_, errno);
    // Some file systems say here only that there was no room.
    return close(std::exchange(fd_, -1)) == 0 ? absl::OkStatus() : FileError("closing", path_, errno);
  }

  absl::Status Move() {
    if (rename(temporary_.c_str(), target_.c_str()) != 0) return FileError("renaming", path_, errno);
    temporary_.clear();
    return FlushFolder();
  }

 private:
  absl::Status FindTarget() {
    target_ = path_;
    struct stat info;
    if (stat(path_.c_str(), &info) != 0) {
      return errno == ENOENT ? absl::OkStatus() : FileError("creating", path_, errno);
    }
    if (!S_ISREG(info.st_mode)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("'%s' is no regular file; expected one to replace, or none", FileName(path_)));
    }
    std::error_code error;
    target_ = std::filesystem::canonical(path_, error).string();
    return error ? FileError("creating", path_, error.value()) : absl::OkStatus();
  }

  // Makes the new name last: without it a crash may bring the old one back. A folder that may be written to but not read
  // cannot be flushed.
  absl::Status FlushFolder() const {
    const std::string folder = std::filesystem::path(target_).parent_path().string();
    const int fd = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return absl::OkStatus();
    const int error = fsync(fd) == 0 ? 0 : errno;
    close(fd);
    // EINVAL: a file system that has nothing to flush for folders.
    return error == 0 || error == EINVAL ? absl::OkStatus() : FileError("flushing the folder of", path_, error);
  }

  const std::string& path_;
  const std::string_view bytes_;
  std::string target_;     // path_, links followed
  std::string temporary_;  // empty: there is none
  int fd_ = -1;
};

}  // namespace

absl::Status WriteFilesAtomically(absl::Span<const FileToWrite> files) {
  std::vector<std::unique_ptr<StagedFile>> staged;
  for (const FileToWrite& file : files) {
    staged.push_back(std::make_unique<StagedFile>(file));
    RETURN_IF_ERROR(staged.back()->Write());
  }
  for (const auto& file : staged) RETURN_IF_ERROR(file->Move());
  return absl::OkStatus();
}

absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes) {
  const FileToWrite file{path, bytes};
  return WriteFilesAtomically({&file, 1});
}

}  // namespace rml
