#include "engine/base/utf8.h"

#include <algorithm>

namespace rml {
namespace {

// The length of the character that begins with `lead`; 0: none does.
size_t LengthFrom(uint32_t lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;  // C0 and C1 begin overlong forms only
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// At least 1 for a text that is not empty.
size_t BytesToPass(std::string_view text) { return std::max<size_t>(FirstUtf8(text).bytes, 1); }

}  // namespace

Utf8Character FirstUtf8(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&text](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i])); };
  const size_t bytes = LengthFrom(byte(0));
  if (bytes == 0 || bytes > text.size()) return {};
  if (bytes == 1) return {1, byte(0)};
  uint32_t code = byte(0) & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (overlong || surrogate || code > 0x10FFFF) return {};
  return {bytes, code};
}

size_t ValidUtf8Prefix(std::string_view text) {
  size_t end = 0;
  while (const size_t bytes = FirstUtf8(text.substr(end)).bytes) end += bytes;
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

size_t CountUtf8(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(BytesToPass(text));
  return count;
}

std::string_view CutUtf8(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = 0;
  while (true) {
    const size_t bytes = BytesToPass(text.substr(end));
    if (end + bytes > max_bytes) return text.substr(0, end);
    end += bytes;
  }
}

}  // namespace rml
