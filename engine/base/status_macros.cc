#include "engine/base/status_macros.h"

#include "absl/strings/str_cat.h"

namespace rml {

absl::Status Annotate(const absl::Status& status, const std::string& context) {
  if (status.ok()) return status;
  absl::Status annotated(status.code(), absl::StrCat(context, ": ", status.message()));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { annotated.SetPayload(url, payload); });
  return annotated;
}

}  // namespace rml
