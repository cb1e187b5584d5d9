#include "client/cpp/text_table.h"

#include <gtest/gtest.h>

namespace rml {
namespace {

TEST(TextTableTest, ColumnsFitTheirLongestCell) {
  EXPECT_EQ(FormatTable({"name", ">size", "note"}, {{"a", "10", "x"}, {"long name", "5", ""}, {"short"}}),
            "name       size  note\n"
            "a            10  x\n"
            "long name     5\n"
            "short\n");
}

TEST(TextTableTest, WidthsAreCountedInCharacters) {
  EXPECT_EQ(FormatTable({"name", "note"}, {{"gr\xC3\xB6\xC3\x9F"
                                            "e",
                                            "x"},
                                           {"small", "y"}}),
            "name   note\n"
            "gr\xC3\xB6\xC3\x9F"
            "e  x\n"
            "small  y\n");
}

TEST(TextTableTest, NoRowsLeaveTheHeader) { EXPECT_EQ(FormatTable({"a", ">b"}, {}), "a  b\n"); }

TEST(TextTableTest, BytesInTheUnitThatFits) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes(5 << 20), "5.0 MiB");
  EXPECT_EQ(FormatBytes(1e18), "909494.7 TiB");
}

TEST(TextTableTest, SecondsWithThreeDigits) {
  EXPECT_EQ(FormatSeconds(0), "0 us");
  EXPECT_EQ(FormatSeconds(12.34e-6), "12.3 us");
  EXPECT_EQ(FormatSeconds(4.567e-3), "4.57 ms");
  EXPECT_EQ(FormatSeconds(1.25), "1.25 s");
}

}  // namespace
}  // namespace rml
