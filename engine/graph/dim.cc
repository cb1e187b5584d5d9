#include "engine/graph/dim.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace rml {

std::string ToString(const Dim& dim) {
  if (!dim.symbolic()) return absl::StrCat(dim.factor());
  return dim.factor() == 1 ? "B" : absl::StrCat(dim.factor(), "*B");
}

std::string ToString(const std::vector<Dim>& dims) {
  return absl::StrCat(
      "[", absl::StrJoin(dims, ", ", [](std::string* out, const Dim& dim) { out->append(ToString(dim)); }), "]");
}

}  // namespace rml
