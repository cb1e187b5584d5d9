#include "engine/base/list_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rml {
namespace {

TEST(ListTextTest, ShortListsInFull) {
  EXPECT_EQ(ListText(std::vector<int64_t>{}), "[]");
  EXPECT_EQ(ListText(std::vector<int64_t>{-3}), "[-3]");
  EXPECT_EQ(ListText(std::vector<uint64_t>{1, UINT64_MAX}), "[1, 18446744073709551615]");
  EXPECT_EQ(ListText(std::vector<std::string>{"B", "2*B"}), "[B, 2*B]");
  EXPECT_EQ(ListText(std::vector<int>(12, 1)), "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]");
}

TEST(ListTextTest, LongListsWithTheirNumber) {
  EXPECT_EQ(ListText(std::vector<int>(13, 1)), "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ... (13)]");
  EXPECT_EQ(ListText(std::vector<int>(1000000, 7)), "[7, 7, 7, 7, 7, 7, 7, 7, 7, 7, ... (1000000)]");
}

}  // namespace
}  // namespace rml
