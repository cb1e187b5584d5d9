#include "server/config/utf8.h"

#include <cstdint>

namespace rml {
namespace {

bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// The length of the character that `text` begins with, or 0 if it begins with none.
size_t CharacterLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(byte(i))) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool too_large = first == 0xF4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

size_t ValidUtf8Prefix(std::string_view text) {
  size_t end = 0;
  while (end < text.size()) {
    const size_t length = CharacterLength(text.substr(end));
    if (length == 0) return end;
    end += length;
  }
  return end;
}

std::string ToValidUtf8(std::string_view text) {
  std::string valid;
  while (true) {
    const size_t end = ValidUtf8Prefix(text);
    valid.append(text.substr(0, end));
    if (end == text.size()) return valid;
    valid += '?';
    text.remove_prefix(end + 1);
  }
}

}  // namespace rml
