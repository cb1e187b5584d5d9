// Lines and columns of a text, counted as protobuf's text reader counts them: from 0, a byte a column, a tab up to the next
// multiple of 8.
#pragma once

#include <cstddef>
#include <string_view>

namespace rml {

struct TextPosition {
  int line = 0;
  int column = 0;
};

// Of the byte at `offset`, or of the end of the text.
TextPosition PositionOf(std::string_view text, size_t offset);

// Of the first byte that is not before `position`.
size_t OffsetOf(std::string_view text, TextPosition position);

}  // namespace rml
