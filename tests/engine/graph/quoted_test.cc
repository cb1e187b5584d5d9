#include "engine/graph/quoted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rml {
namespace {

TEST(Quoted, KeepsWhatPrintsAndEscapesTheRest) {
  const struct {
    const char* name;
    std::string text, excerpt;
  } kCases[] = {
      {"ASCII", "fc1.weight", "fc1.weight"},
      {"nothing", "", ""},
      {"two bytes",
       "gr\xC3\xB6\xC3\x9F"
       "e",
       "gr\xC3\xB6\xC3\x9F"
       "e"},
      {"three bytes", "\xE2\x82\xAC", "\xE2\x82\xAC"},
      {"four bytes", "\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
      {"the last character", "\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF"},
      {"line feed", "a\nb", "a\\x0ab"},
      {"NUL", std::string("a\0b", 3), "a\\x00b"},
      {"escape", "\x1b[31m", "\\x1b[31m"},
      {"delete", "\x7f", "\\x7f"},
      {"C1 control",
       "\xC2\x9B"
       "31m",
       "\\xc2\\x9b"
       "31m"},
      {"zero-width space", "\xE2\x80\x8B", "\\xe2\\x80\\x8b"},
      {"line separator", "\xE2\x80\xA8", "\\xe2\\x80\\xa8"},
      {"right-to-left override", "\xE2\x80\xAE", "\\xe2\\x80\\xae"},
      {"byte order mark", "\xEF\xBB\xBF", "\\xef\\xbb\\xbf"},
      {"lone continuation", "\x80", "\\x80"},
      {"cut short", "\xE2\x82", "\\xe2\\x82"},
      {"cut short by a letter", "\xE2\x82z", "\\xe2\\x82z"},
      {"overlong", "\xC0\xAF", "\\xc0\\xaf"},
      {"overlong, three bytes", "\xE0\x80\xAF", "\\xe0\\x80\\xaf"},
      {"surrogate", "\xED\xA0\x80", "\\xed\\xa0\\x80"},
      {"beyond the last character", "\xF4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
      {"no UTF-8 at all", "\xFF\xFE", "\\xff\\xfe"},
  };
  for (const auto& [name, text, excerpt] : kCases) {
    SCOPED_TRACE(name);
    EXPECT_EQ(Excerpt(text), excerpt);
    EXPECT_EQ(IsPrintable(text), text == excerpt);
    EXPECT_TRUE(IsPrintable(excerpt));
  }
}

TEST(Quoted, CutsBetweenCharacters) {
  EXPECT_EQ(Quoted(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
  EXPECT_EQ(Quoted(std::string(61, 'x')), "'" + std::string(60, 'x') + "...'");
  EXPECT_EQ(Quoted(std::string(59, 'x') + "\xC3\xA9"), "'" + std::string(59, 'x') + "...'");
}

TEST(Quoted, Lists) {
  EXPECT_EQ(QuotedList({"a", "b"}), "'a', 'b'");
  EXPECT_EQ(QuotedList({"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}),
            "'1', '2', '3', '4', '5', '6', '7', '8' and 2 more");
}

}  // namespace
}  // namespace rml
