// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. The only place that decodes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rml {

struct Utf8Character {
  size_t bytes = 0;  // 0: the text does not begin with a character
  uint32_t code = 0;
};

// The character that `text` begins with.
Utf8Character FirstUtf8(std::string_view text);

// The length of the longest prefix of `text` that is valid UTF-8; text.size() if all of it is.
size_t ValidUtf8Prefix(std::string_view text);

// `text` with every byte that is not part of a character replaced by '?'.
std::string ToValidUtf8(std::string_view text);

// The number of characters; a byte that is not part of one counts as one.
size_t CountUtf8(std::string_view text);

// The longest prefix of `text` of at most `max_bytes` that ends between characters.
std::string_view CutUtf8(std::string_view text, size_t max_bytes);

}  // namespace rml
