#include "server/repository/file_stamp.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "tests/server/repository/model_files.h"

namespace rml {
namespace {

namespace fs = std::filesystem;

class FileStampTest : public ModelFiles {};

TEST_F(FileStampTest, AnyChangeOfAFileShows) {
  WriteRelu("1");
  const fs::path json = root() / "1/model.json", weights = root() / "1/model.safetensors";
  const fs::path golden = root() / "1/golden.safetensors";
  const struct {
    const char* name;
    std::function<void()> change;
  } kChanges[] = {
      {"a golden file comes", [&] { WriteText(golden, "g"); }},
      {"it goes", [&] { fs::remove(golden); }},
      {"more bytes", [&] { WriteText(json, std::string(kReluJson) + "\n"); }},
      {"the same bytes in a new file",
       [&] {
         fs::copy_file(weights, root() / "copy");
         fs::rename(root() / "copy", weights);
       }},
      {"another time of writing", [&] { fs::last_write_time(json, fs::file_time_type{}); }},
      {"the folder goes", [&] { fs::remove_all(root() / "1"); }},
  };
  for (const auto& c : kChanges) {
    const std::string before = StampOfVersion(root() / "1");
    EXPECT_EQ(StampOfVersion(root() / "1"), before);
    c.change();
    EXPECT_NE(StampOfVersion(root() / "1"), before) << c.name;
  }
}

TEST_F(FileStampTest, AsManyOtherBytesWithTheTimeOfWritingPutBack) {
  WriteRelu("1");
  const fs::path json = root() / "1/model.json";
  const std::string before = StampOfVersion(root() / "1");
  const fs::file_time_type time = fs::last_write_time(json);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  do {  // some file systems tell times apart that are some milliseconds apart only
    WriteText(json, std::string(fs::file_size(json), 'x'));
    fs::last_write_time(json, time);
  } while (StampOfVersion(root() / "1") == before && std::chrono::steady_clock::now() < end);
  EXPECT_NE(StampOfVersion(root() / "1"), before);
}

TEST_F(FileStampTest, OfTheConfig) {
  const std::string none = StampOfConfig(root());
  WriteText(root() / "config.textproto", "instances: 2");
  EXPECT_NE(StampOfConfig(root()), none);
}

}  // namespace
}  // namespace rml
