#include "engine/graph/quoted.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace rml {

std::string Excerpt(std::string_view text) {
  constexpr size_t kMaxBytes = 60;
  std::string excerpt(text.substr(0, kMaxBytes));
  std::replace_if(excerpt.begin(), excerpt.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return text.size() > kMaxBytes ? excerpt + "..." : excerpt;
}

std::string Quoted(std::string_view text) { return absl::StrCat("'", Excerpt(text), "'"); }

std::string QuotedList(const std::vector<std::string>& texts) {
  constexpr size_t kMaxTexts = 8;
  std::string list;
  for (size_t i = 0; i < std::min(texts.size(), kMaxTexts); ++i) {
    absl::StrAppend(&list, i == 0 ? "" : ", ", Quoted(texts[i]));
  }
  if (texts.size() > kMaxTexts) absl::StrAppend(&list, " and ", texts.size() - kMaxTexts, " more");
  return list;
}

}  // namespace rml
