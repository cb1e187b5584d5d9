// Every graph that once failed, made small: regressions/NAME.json and what belongs to it.
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/random/case_file.h"
#include "tests/engine/random/check_case.h"
#include "tests/engine/temporary_folder.h"

namespace rml {
namespace {

constexpr const char* kDir = "tests/engine/random/regressions";

TEST(Regressions, AllHold) {
  const TemporaryFolder scratch;
  const std::vector<std::string> cases = FindCases(kDir);
  EXPECT_FALSE(cases.empty());
  for (const std::string& path : cases) {
    const auto read = ReadCase(path);
    ASSERT_TRUE(read.ok()) << path << ": " << read.status();
    const auto failure = CheckCase(*read, {.scratch_dir = scratch.path()});
    EXPECT_FALSE(failure) << path << ": " << failure->stage << ": " << failure->what;
  }
}

}  // namespace
}  // namespace rml
