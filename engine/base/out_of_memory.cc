#include "engine/base/out_of_memory.h"

#include "absl/strings/str_cat.h"

namespace rml {

absl::Status OutOfMemoryError(const char* doing) noexcept {
  try {
    return absl::ResourceExhaustedError(absl::StrCat(doing, ": out of memory"));
  } catch (const std::bad_alloc&) {
    return {absl::StatusCode::kResourceExhausted, ""};  // an empty message takes no memory
  }
}

}  // namespace rml
