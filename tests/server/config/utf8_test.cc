#include "server/config/utf8.h"

#include <gtest/gtest.h>

namespace rml {
namespace {

TEST(Utf8Test, ValidText) {
  for (const char* text :
       {"", "plain", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\x7f", "\xc2\x80",
        "\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(ValidUtf8Prefix(text), std::string_view(text).size()) << text;
    EXPECT_EQ(ToValidUtf8(text), text);
  }
}

TEST(Utf8Test, InvalidText) {
  const struct {
    const char* name;
    const char* text;
    size_t valid;
    const char* repaired;
  } kCases[] = {
      {"a continuation alone", "a\x80z", 1, "a?z"},
      {"cut short", "\xe2\x82", 0, "??"},
      {"cut short by a letter", "ab\xe2\x82z", 2, "ab??z"},
      {"overlong, two bytes", "\xc1\xbf", 0, "??"},
      {"overlong, three bytes", "\xe0\x9f\xbf", 0, "???"},
      {"overlong, four bytes", "\xf0\x8f\xbf\xbf", 0, "????"},
      {"a surrogate", "\xed\xa0\x80", 0, "???"},
      {"above U+10FFFF", "\xf4\x90\x80\x80", 0, "????"},
      {"no such first byte", "\xf8\x88\x80\x80\x80", 0, "?????"},
      {"Latin-1", "f\xfcr", 1, "f?r"},
      {"between valid characters", "\xc3\xa4\xff\xc3\xa4", 2, "\xc3\xa4?\xc3\xa4"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ValidUtf8Prefix(c.text), c.valid) << c.name;
    EXPECT_EQ(ToValidUtf8(c.text), c.repaired) << c.name;
  }
}

}  // namespace
}  // namespace rml
