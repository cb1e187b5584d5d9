#include "engine/graph/file_content.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/graph/file_error.h"

namespace rml {
namespace {

// Summed while it is in the second-level cache: 100 MB take 63 ms that way, 80 ms summed afterwards.
constexpr int64_t kChunkBytes = 256 << 10;

// An open file that is closed with the object.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

int OpenForReading(const std::string& path) {
  while (true) {
    // Not blocking: a pipe in a file's place must not hang the reader.
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 || errno != EINTR) return fd;
  }
}

// Reads until `size` bytes are there or the file ends; the number of bytes.
absl::StatusOr<int64_t> ReadUpTo(int fd, const std::string& path, char* to, int64_t offset, int64_t size) {
  int64_t done = 0;
  while (done < size) {
    const ssize_t count = pread(fd, to + done, size - done, offset + done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError("reading", path, errno);
    if (count == 0) break;
    done += count;
  }
  return done;
}

absl::Status Changed(const std::string& path, const std::string& how) {
  return absl::AbortedError(absl::StrFormat(
      "file '%s' changed while it was read: %s; write a new file and rename it instead", FileName(path), how));
}

uint32_t Crc32(uint32_t crc, std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// The content of `fd`, which `before` describes.
absl::StatusOr<std::shared_ptr<const FileContent>> ReadAll(int fd, const std::string& path, const struct stat& before) {
  absl::StatusOr<Buffer> buffer = Buffer::Allocate(before.st_size);
  if (!buffer.ok()) return Annotate(buffer.status(), absl::StrCat("reading file '", FileName(path), "'"));
  int64_t count = 0;
  uint32_t crc = Crc32(0, {});
  for (bool ended = false; !ended && count < before.st_size;) {
    char* to = static_cast<char*>(buffer->data()) + count;
    const int64_t chunk = std::min(kChunkBytes, before.st_size - count);
    ASSIGN_OR_RETURN(const int64_t got, ReadUpTo(fd, path, to, count, chunk));
    crc = Crc32(crc, {to, static_cast<size_t>(got)});
    count += got;
    ended = got < chunk;
  }
  char beyond;
  ASSIGN_OR_RETURN(const int64_t more, ReadUpTo(fd, path, &beyond, count, 1));
  if (count < before.st_size) return Changed(path, absl::StrFormat("it had %d bytes, then %d", before.st_size, count));
  if (more > 0) return Changed(path, absl::StrFormat("it had %d bytes, then more", before.st_size));
  struct stat after;
  if (fstat(fd, &after) != 0) return FileError("reading", path, errno);
  const bool same = after.st_size == before.st_size && after.st_mtim.tv_sec == before.st_mtim.tv_sec &&
                    after.st_mtim.tv_nsec == before.st_mtim.tv_nsec;
  if (!same) return Changed(path, "it was written to");
  return std::make_shared<const FileContent>(*std::move(buffer), crc);
}

}  // namespace

std::string FileName(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name.empty() ? path : name;
}

absl::StatusOr<std::shared_ptr<const FileContent>> FileContent::Read(const std::string& path, int64_t max_bytes) {
  const Descriptor file(OpenForReading(path));
  if (file.get() < 0) return FileError("opening", path, errno);
  struct stat info;
  if (fstat(file.get(), &info) != 0) return FileError("opening", path, errno);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrFormat("'%s' is no regular file", FileName(path)));
  }
  if (info.st_size > max_bytes) {
    return absl::InvalidArgumentError(
        absl::StrFormat("file '%s' has %d bytes; expected at most %d", FileName(path), info.st_size, max_bytes));
  }
  return ReadAll(file.get(), path, info);
}

absl::StatusOr<std::shared_ptr<const FileContent>> FileContent::Copy(std::string_view bytes) {
  ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(static_cast<int64_t>(bytes.size())));
  if (!bytes.empty()) std::memcpy(buffer.data(), bytes.data(), bytes.size());
  return std::make_shared<const FileContent>(std::move(buffer), Crc32(0, bytes));
}

std::shared_ptr<const void> FileContent::HoldPart(std::shared_ptr<const FileContent> content, std::string_view part) {
  const int64_t offset = part.data() - content->bytes().data();
  const int64_t size = static_cast<int64_t>(part.size());
  const FileContent* kept = content.get();
  return std::shared_ptr<const void>(
      kept, [content = std::move(content), offset, size](const void*) { content->buffer_.DropPages(offset, size); });
}

}  // namespace rml
