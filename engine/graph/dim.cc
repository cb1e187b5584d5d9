#include "engine/graph/dim.h"

#include "absl/strings/str_cat.h"
#include "engine/base/list_text.h"

namespace rml {

std::string ToString(const Dim& dim) {
  if (!dim.symbolic()) return absl::StrCat(dim.factor());
  return dim.factor() == 1 ? "B" : absl::StrCat(dim.factor(), "*B");
}

std::string ToString(const std::vector<Dim>& dims) {
  std::vector<std::string> texts;
  for (const Dim& dim : dims) texts.push_back(ToString(dim));
  return ListText(texts);
}

}  // namespace rml
