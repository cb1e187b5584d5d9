#include "engine/graph/file_error.h"

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "engine/graph/file_content.h"

namespace rml {
namespace {

absl::StatusCode CodeOf(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return absl::StatusCode::kResourceExhausted;
    case EIO:
      return absl::StatusCode::kDataLoss;
    default:
      return absl::StatusCode::kInvalidArgument;
  }
}

}  // namespace

absl::Status FileError(const std::string& doing, const std::string& path, int error) {
  return {CodeOf(error), absl::StrCat(doing, " file '", FileName(path), "': ", std::strerror(error))};
}

}  // namespace rml
