#include "server/config/text_position.h"

#include <gtest/gtest.h>

namespace rml {
namespace {

TEST(TextPositionTest, ThereAndBack) {
  constexpr std::string_view kText = "ab\n\n\tc\td";
  const struct {
    size_t offset;
    int line;
    int column;
  } kCases[] = {{0, 0, 0}, {2, 0, 2}, {3, 1, 0}, {4, 2, 0}, {5, 2, 8}, {6, 2, 9}, {7, 2, 16}, {8, 2, 17}};
  for (const auto& c : kCases) {
    const TextPosition position = PositionOf(kText, c.offset);
    EXPECT_EQ(position.line, c.line) << c.offset;
    EXPECT_EQ(position.column, c.column) << c.offset;
    EXPECT_EQ(OffsetOf(kText, position), c.offset);
  }
}

TEST(TextPositionTest, PositionsThatAreNotThere) {
  EXPECT_EQ(OffsetOf("a\tb", {0, 5}), 2) << "inside of a tab: what follows it";
  EXPECT_EQ(OffsetOf("a\nb", {0, 100}), 2) << "past the end of a line: the next";
  EXPECT_EQ(OffsetOf("a\nb", {7, 0}), 3) << "past the text: its end";
}

}  // namespace
}  // namespace rml
