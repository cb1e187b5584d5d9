#include "command_line/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rml {
namespace {

// What the check says of a value; empty when it is fine.
std::string Said(const CLI::Validator& check, std::string value) { return check(value); }

TEST(ChecksTest, WholeNumber) {
  const CLI::Validator check = WholeNumber(-1, 65535);
  for (const char* good : {"-1", "0", "007", "65535", "+5"}) EXPECT_EQ(Said(check, good), "") << good;
  for (const std::string bad :
       {"", " ", "-2", "65536", "99999999999999999999", "1.5", "1e3", "0x10", "nan", "1a", "\x1b[31m"}) {
    EXPECT_EQ(Said(check, bad), "'" + bad + "'; expected a whole number from -1 to 65535");
  }
}

TEST(ChecksTest, Number) {
  const CLI::Validator check = Number(0, 86400);
  for (const char* good : {"0", "-0", "1.5", "1e3", "86400"}) EXPECT_EQ(Said(check, good), "") << good;
  for (const std::string bad : {"", "-1", "86400.5", "1e400", "nan", "-nan", "NAN", "inf", "-inf", "1s"}) {
    EXPECT_EQ(Said(check, bad), "'" + bad + "'; expected a number from 0 to 86400");
  }
}

TEST(ChecksTest, NotEmpty) {
  EXPECT_EQ(Said(NotEmpty(), "x"), "");
  EXPECT_EQ(Said(NotEmpty(), ""), "is given but empty");
}

}  // namespace
}  // namespace rml
