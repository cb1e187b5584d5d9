#include "server/config/text_position.h"

#include <tuple>

namespace rml {
namespace {

constexpr int kTabWidth = 8;

void Advance(char c, TextPosition& position) {
  if (c == '\n') {
    ++position.line;
    position.column = 0;
  } else {
    position.column += c == '\t' ? kTabWidth - position.column % kTabWidth : 1;
  }
}

}  // namespace

TextPosition PositionOf(std::string_view text, size_t offset) {
  TextPosition position;
  for (char c : text.substr(0, offset)) Advance(c, position);
  return position;
}

size_t OffsetOf(std::string_view text, TextPosition position) {
  TextPosition here;
  size_t offset = 0;
  while (offset < text.size() && std::tie(here.line, here.column) < std::tie(position.line, position.column)) {
    Advance(text[offset++], here);
  }
  return offset;
}

}  // namespace rml
