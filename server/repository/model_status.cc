#include "server/repository/model_status.h"

#include "absl/strings/str_format.h"

namespace rml {

std::string ModelLabel(const std::string& name, int64_t version) {
  if (version == 0) return absl::StrFormat("model '%s'", name);
  return absl::StrFormat("model '%s' version %d", name, version);
}

}  // namespace rml
