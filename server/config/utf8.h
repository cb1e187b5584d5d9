// Whether bytes from outside are text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rml {

// The length of the longest prefix of `text` that is valid UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above
// U+10FFFF); text.size() if all of it is.
size_t ValidUtf8Prefix(std::string_view text);

// `text` with every byte that is not part of valid UTF-8 replaced by '?'.
std::string ToValidUtf8(std::string_view text);

}  // namespace rml
