// Text from outside, made fit for a message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rml {

// An excerpt of at most 60 bytes; bytes that are no printable ASCII become '?'.
std::string Excerpt(std::string_view text);

// The excerpt in single quotes.
std::string Quoted(std::string_view text);

// "'a', 'b' and 3 more": the first eight, quoted.
std::string QuotedList(const std::vector<std::string>& texts);

}  // namespace rml
