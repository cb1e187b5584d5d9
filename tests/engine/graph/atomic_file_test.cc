#include "engine/graph/atomic_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/engine/graph/model_text.h"

namespace rml {
namespace {

TEST(WriteFileAtomically, ReplacesTheWholeFile) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("f", "a longer old text");
  ASSERT_TRUE(WriteFileAtomically(path, "new").ok());
  EXPECT_EQ(FileBytes(path), "new");
  EXPECT_EQ(folder.NumFiles(), 1u);
}

TEST(WriteFileAtomically, FailureLeavesNothingBehind) {
  const TemporaryFolder folder;
  EXPECT_EQ(WriteFileAtomically(folder.Path("none/f"), "x").message(), "creating file 'f': No such file or directory");
  std::filesystem::create_directory(folder.Path("d"));
  folder.Write("d/inside", "");
  const absl::Status renamed = WriteFileAtomically(folder.Path("d"), "x");
  EXPECT_EQ(renamed.message().substr(0, 17), "renaming file 'd'");
  EXPECT_EQ(folder.NumFiles(), 1u);
}

TEST(WriteFileAtomically, ConcurrentWritersLeaveOneOfTheTexts) {
  const TemporaryFolder folder;
  const std::string texts[] = {std::string(100'000, 'a'), std::string(200'000, 'b')};
  std::vector<std::thread> writers;
  for (const std::string& text : texts) {
    writers.emplace_back([&] { EXPECT_TRUE(WriteFileAtomically(folder.Path("f"), text).ok()); });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string got = FileBytes(folder.Path("f"));
  EXPECT_TRUE(got == texts[0] || got == texts[1]);
  EXPECT_EQ(folder.NumFiles(), 1u);
}

}  // namespace
}  // namespace rml
