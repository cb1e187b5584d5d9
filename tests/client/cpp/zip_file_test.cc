#include "client/cpp/zip_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/client/cpp/zip_bytes.h"

namespace rml {
namespace {

TEST(ZipFileTest, ReadsStoredDeflatedAndEmptyMembers) {
  const std::string zip = MakeZip({{"a", "stored"}, {"b", std::string(5000, 'x'), true}, {"c", ""}});
  const auto members = ReadZip(zip);
  ASSERT_TRUE(members.ok()) << members.status();
  ASSERT_EQ(members->size(), 3);
  EXPECT_EQ((*members)[0].content, "stored");
  EXPECT_EQ((*members)[1].name, "b");
  EXPECT_EQ((*members)[1].content, std::string(5000, 'x'));
  EXPECT_EQ((*members)[2].content, "");
  EXPECT_TRUE(ReadZip(MakeZip({}))->empty());
}

TEST(ZipFileTest, EveryPrefixIsRefused) {
  const std::string zip = MakeZip({{"a", "stored"}, {"b", "deflated deflated", true}});
  for (size_t size = 0; size < zip.size(); ++size) {
    EXPECT_FALSE(ReadZip(std::string_view(zip).substr(0, size)).ok()) << size;
  }
}

TEST(ZipFileTest, NoChangedByteIsReadOutOfBounds) {  // sanitizers look at this one
  const std::string zip = MakeZip({{"a", "stored"}, {"b", "deflated deflated", true}});
  for (size_t i = 0; i < zip.size(); ++i) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string changed = zip;
      changed[i] = value;
      (void)ReadZip(changed);
    }
  }
}

struct BadZip {
  const char* name;
  TestMember member;
  const char* message;
};

class BadZipTest : public testing::TestWithParam<BadZip> {};

TEST_P(BadZipTest, SaysWhichMemberAndWhy) {
  const auto members = ReadZip(MakeZip({GetParam().member}));
  ASSERT_FALSE(members.ok());
  EXPECT_THAT(std::string(members.status().message()), testing::HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadZipTest,
    testing::Values(
        BadZip{"encrypted", {.name = "a", .content = "x", .flags = 1}, "member 'a': is encrypted"},
        BadZip{"method", {.name = "a", .content = "x", .method = 12}, "compression method 12; expected 0"},
        BadZip{"offset", {.name = "a", .content = "x", .offset = 1 << 30}, "there is no local header"},
        BadZip{"stored_size", {.name = "a", .content = "x", .size = 2}, "its two sizes differ"},
        BadZip{"bomb", {.name = "a", .content = "x", .deflated = true, .size = 1 << 30}, "impossible size"},
        BadZip{"inflated_short", {.name = "a", .content = "xyz", .deflated = true, .size = 9}, "are damaged"},
        BadZip{"inflated_long", {.name = "a", .content = "xyz", .deflated = true, .size = 2}, "are damaged"},
        BadZip{"not_deflated", {.name = "a", .content = "\xff\xff\xff", .method = 8}, "are damaged"},
        BadZip{"checksum", {.name = "a", .content = "x", .crc_change = 1}, "checksum is wrong"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace rml
