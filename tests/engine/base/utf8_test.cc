#include "engine/base/utf8.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>

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

TEST(Utf8Test, FirstCharacter) {
  const struct {
    std::string text;
    size_t bytes;
    uint32_t code;
  } kCases[] = {
      {"", 0, 0},
      {std::string(1, '\0'), 1, 0},
      {"az", 1, 'a'},
      {"\x7f", 1, 0x7F},
      {"\xc2\x80z", 2, 0x80},
      {"\xdf\xbf", 2, 0x7FF},
      {"\xe0\xa0\x80", 3, 0x800},
      {"\xed\x9f\xbf", 3, 0xD7FF},
      {"\xee\x80\x80", 3, 0xE000},
      {"\xef\xbf\xbf", 3, 0xFFFF},
      {"\xf0\x90\x80\x80", 4, 0x10000},
      {"\xf4\x8f\xbf\xbf", 4, 0x10FFFF},
      {"\xf4\x90\x80\x80", 0, 0},
      {"\xed\xbf\xbf", 0, 0},
      {"\xc0\x80", 0, 0},
      {"\xf0\x9f\x98", 0, 0},
  };
  for (const auto& c : kCases) {
    const Utf8Character first = FirstUtf8(c.text);
    EXPECT_EQ(first.bytes, c.bytes) << ToValidUtf8(c.text) << " of " << c.text.size();
    EXPECT_EQ(first.code, c.code) << ToValidUtf8(c.text) << " of " << c.text.size();
  }
}

// All texts of two bytes and the three-byte ones by their first two: how many characters there are is known.
TEST(Utf8Test, AsManyCharactersAsThereAre) {
  int two = 0, three = 0;
  for (int a = 0x80; a < 0x100; ++a) {
    for (int b = 0; b < 0x100; ++b) {
      const std::string text{static_cast<char>(a), static_cast<char>(b)};
      two += FirstUtf8(text).bytes == 2;
      three += FirstUtf8(text + "\x80").bytes == 3;
    }
  }
  EXPECT_EQ(two, (0x800 - 0x80));
  EXPECT_EQ(three, (0x10000 - 0x800 - 0x800) / 64);
}

TEST(Utf8Test, Counts) {
  EXPECT_EQ(CountUtf8(""), 0u);
  EXPECT_EQ(CountUtf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"), 4u);
  EXPECT_EQ(CountUtf8("\xff\xe2\x82z"), 4u) << "bytes that are part of no character";
}

TEST(Utf8Test, CutsBetweenCharacters) {
  const std::string text = "a\xc3\xa4\xf0\x9f\x98\x80z";  // 1, 2, 4 and 1 bytes
  const size_t cut[] = {0, 1, 1, 3, 3, 3, 3, 7, 8, 8};
  for (size_t max_bytes = 0; max_bytes < std::size(cut); ++max_bytes) {
    EXPECT_EQ(CutUtf8(text, max_bytes), text.substr(0, cut[max_bytes])) << max_bytes;
  }
  EXPECT_EQ(CutUtf8("\x80\x80\x80", 2), "\x80\x80");
}

}  // namespace
}  // namespace rml
