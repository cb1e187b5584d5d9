#include "engine/graph/quoted.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/utf8.h"

namespace rml {
namespace {

constexpr size_t kMaxExcerptBytes = 60;

// How many bytes at the beginning of the text are one character that shows as it is; 0: they are not.
size_t PrintableBytes(std::string_view text) {
  const auto [bytes, code] = FirstUtf8(text);
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool invisible = (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
                         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
  return control || invisible ? 0 : bytes;
}

}  // namespace

bool IsPrintable(std::string_view text) {
  while (!text.empty()) {
    const size_t bytes = PrintableBytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string Excerpt(std::string_view text) {
  std::string excerpt;
  for (size_t at = 0; at < text.size();) {
    const size_t printable = PrintableBytes(text.substr(at)), bytes = std::max<size_t>(printable, 1);
    if (at + bytes > kMaxExcerptBytes) return excerpt + "...";
    if (printable > 0) {
      excerpt.append(text, at, bytes);
    } else {
      absl::StrAppendFormat(&excerpt, "\\x%02x", static_cast<unsigned char>(text[at]));
    }
    at += bytes;
  }
  return excerpt;
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
