#include "server/config/model_config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/server/repository/model_files.h"

namespace rml {
namespace {

class ModelConfigFileTest : public ModelFiles {
 protected:
  absl::StatusOr<ModelConfig> Read() const { return ReadModelConfig(root().string()); }
  std::string Error() const { return std::string(Read().status().message()); }
  std::filesystem::path file() const { return root() / "config.textproto"; }
};

TEST_F(ModelConfigFileTest, NoFileMeansDefaults) {
  const absl::StatusOr<ModelConfig> config = Read();
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_FALSE(config->instances);
}

TEST_F(ModelConfigFileTest, IsRead) {
  WriteText(file(), "instances: 3");
  EXPECT_EQ(Read()->instances, 3);
}

TEST_F(ModelConfigFileTest, ALinkIsFollowed) {
  WriteText(root() / "elsewhere", "instances: 3");
  std::filesystem::create_symlink("elsewhere", file());
  EXPECT_EQ(Read()->instances, 3);
}

TEST_F(ModelConfigFileTest, ALinkToNothing) {
  std::filesystem::create_symlink("elsewhere", file());
  EXPECT_EQ(Error(), "config.textproto is a link to nothing; expected a file");
}

TEST_F(ModelConfigFileTest, ALinkToItself) {
  std::filesystem::create_symlink("config.textproto", file());
  EXPECT_EQ(Error(), "config.textproto: Too many levels of symbolic links; expected a file of text");
}

TEST_F(ModelConfigFileTest, AFolderInItsPlace) {
  std::filesystem::create_directory(file());
  EXPECT_EQ(Error(), "config.textproto is a folder; expected a file");
}

TEST_F(ModelConfigFileTest, APipeInItsPlaceHangsNobody) {
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_EQ(Error(), "config.textproto is no regular file; expected a file");
}

TEST_F(ModelConfigFileTest, TooLarge) {
  WriteText(file(), std::string(1 << 20, ' '));
  EXPECT_EQ(Error(), "config.textproto has more than 65536 bytes; expected no more");
}

TEST_F(ModelConfigFileTest, Unreadable) {
  WriteText(file(), "instances: 3");
  std::filesystem::permissions(file(), std::filesystem::perms::none);
  std::filesystem::permissions(root(), std::filesystem::perms(0755));
  const uid_t user = geteuid();
  constexpr uid_t kNobody = 65534;  // root may read everything
  if (user == 0) {
    ASSERT_EQ(seteuid(kNobody), 0);
  }
  const absl::Status status = Read().status();
  if (user == 0) {
    ASSERT_EQ(seteuid(user), 0);
  }
  EXPECT_EQ(status, absl::PermissionDeniedError("config.textproto: Permission denied; expected a file of text"));
}

}  // namespace
}  // namespace rml
