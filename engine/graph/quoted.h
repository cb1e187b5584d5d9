// Text from outside, made fit for a message, a log or a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rml {

// UTF-8 of which a terminal shows every character as it is: no control characters, no byte that is no UTF-8, nothing that
// changes the direction of what follows or is invisible (U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF).
bool IsPrintable(std::string_view text);

// At most 60 bytes of the text, "..." after them if there are more; bytes that are not printable become "\x0a".
std::string Excerpt(std::string_view text);

// The excerpt in single quotes.
std::string Quoted(std::string_view text);

// "'a', 'b' and 3 more": the first eight, quoted.
std::string QuotedList(const std::vector<std::string>& texts);

}  // namespace rml
