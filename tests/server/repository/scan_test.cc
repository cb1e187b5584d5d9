#include "server/repository/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/no_descriptors_left.h"
#include "tests/server/repository/model_files.h"

namespace rml {
namespace {

using testing::HasSubstr;

class ScanTest : public ModelFiles {
 protected:
  void MakeFolder(const std::string& folder) { std::filesystem::create_directories(root() / folder); }
};

TEST_F(ScanTest, HighestVersionOfEachModel) {
  for (const char* folder : {"mlp/1", "mlp/10", "mlp/9", "conv/2"}) MakeFolder(folder);
  const ScanResult result = *ScanRepository(root());
  ASSERT_EQ(result.models.size(), 2);
  EXPECT_EQ(result.models[0].name, "conv");
  EXPECT_EQ(result.models[0].version, 2);
  EXPECT_EQ(result.models[1].version, 10);
  EXPECT_EQ(result.models[1].directory, (root() / "mlp/10").string());
  EXPECT_TRUE(result.unusable.empty());
}

TEST_F(ScanTest, VersionsThatTheConfigAsksFor) {
  const struct {
    const char* config;
    std::vector<int64_t> versions;
  } kCases[] = {{"instances: 2", {10}},
                {"version_policy { latest { num_versions: 2 } }", {10, 9}},
                {"version_policy { latest { num_versions: 9 } }", {10, 9, 1}},
                {"version_policy { all {} }", {10, 9, 1}},
                {"version_policy { specific { versions: [1, 9] } }", {9, 1}}};
  for (const char* folder : {"mlp/1", "mlp/10", "mlp/9"}) MakeFolder(folder);
  for (const auto& c : kCases) {
    WriteText(root() / "mlp/config.textproto", c.config);
    const ScanResult result = *ScanRepository(root());
    std::vector<int64_t> versions;
    for (const ModelSource& source : result.models) versions.push_back(source.version);
    EXPECT_EQ(versions, c.versions) << c.config;
    EXPECT_TRUE(result.unusable.empty());
  }
}

TEST_F(ScanTest, TheConfigGoesWithEachVersion) {
  for (const char* folder : {"mlp/1", "mlp/2", "conv/1"}) MakeFolder(folder);
  WriteText(root() / "mlp/config.textproto", "instances: 7 version_policy { all {} }");
  const ScanResult result = *ScanRepository(root());
  ASSERT_EQ(result.models.size(), 3);
  EXPECT_FALSE(result.models[0].config.instances) << "of another model";
  EXPECT_EQ(result.models[1].config.instances, 7);
  EXPECT_EQ(result.models[2].config.instances, 7);
}

TEST_F(ScanTest, VersionsAskedForThatAreNotThere) {
  MakeFolder("mlp/3");
  WriteText(root() / "mlp/config.textproto", "version_policy { specific { versions: [3, 4] } }");
  const ScanResult result = *ScanRepository(root());
  ASSERT_EQ(result.models.size(), 1);
  EXPECT_EQ(result.models[0].version, 3);
  ASSERT_EQ(result.unusable.size(), 1);
  EXPECT_EQ(result.unusable[0].version, 4);
  EXPECT_EQ(result.unusable[0].reason,
            "config.textproto:1:29: version 4 is asked for; there is no folder of that name");
}

TEST_F(ScanTest, ABadConfigConcernsItsModelOnly) {
  for (const char* folder : {"bad/1", "good/1"}) MakeFolder(folder);
  WriteText(root() / "bad/config.textproto", "instances: 0");
  const ScanResult result = *ScanRepository(root());
  ASSERT_EQ(result.models.size(), 1);
  EXPECT_EQ(result.models[0].name, "good");
  ASSERT_EQ(result.unusable.size(), 1);
  EXPECT_EQ(result.unusable[0].version, 0);
  EXPECT_EQ(result.unusable[0].reason, "config.textproto:1:1: instances is 0; expected 1 to 1024");
}

// What is listed must be text: a client's protobuf refuses a list with a name in it that is no UTF-8.
TEST_F(ScanTest, FolderNamesThatAreNoText) {
  MakeFolder("f\xfcr/1");
  MakeFolder("line\nbreak/1");
  MakeFolder(std::string(200, 'x') + "/1");
  const ScanResult result = *ScanRepository(root());
  ASSERT_EQ(result.unusable.size(), 3);
  EXPECT_EQ(result.unusable[0].name, R"(f\xfcr)");
  EXPECT_EQ(result.unusable[1].name, R"(line\x0abreak)");
  EXPECT_EQ(result.unusable[2].name, std::string(60, 'x') + "...");
}

TEST_F(ScanTest, PassesOverFilesAndHiddenFolders) {
  MakeFolder(".git/1");
  WriteText(root() / "README.md", "");
  const ScanResult result = *ScanRepository(root());
  EXPECT_TRUE(result.models.empty());
  EXPECT_TRUE(result.unusable.empty());
}

TEST_F(ScanTest, OtherFoldersBesideAVersionDoNotMatter) {
  for (const char* folder : {"mlp/1", "mlp/old", "mlp/-3"}) MakeFolder(folder);
  WriteText(root() / "mlp/7", "a file is no version");
  EXPECT_EQ(ScanRepository(root())->models.at(0).version, 1);
}

TEST_F(ScanTest, UnusableModelsSayWhy) {
  const struct {
    const char* folder;
    const char* reason;
  } kCases[] = {
      {"empty", "there is no version folder; expected a folder named by a positive integer, such as 1"},
      {"zero/0", "there is no version folder; expected a positive integer such as 1, got '0'"},
      {"leading/01", "there is no version folder; expected a positive integer such as 1, got '01'"},
      {"sign/+1", "there is no version folder; expected a positive integer such as 1, got '+1'"},
      {"huge/99999999999999999999",
       "there is no version folder; expected a positive integer such as 1, got '99999999999999999999'"},
      {"two words/1",
       "the folder's name is not a model name; expected letters, digits, '.', '_' and '-', at most 128, not starting "
       "with '.'"},
  };
  for (const auto& c : kCases) {
    std::filesystem::remove_all(root());
    MakeFolder(c.folder);
    const ScanResult result = *ScanRepository(root());
    ASSERT_EQ(result.unusable.size(), 1) << c.folder;
    EXPECT_EQ(result.unusable[0].reason, c.reason);
    EXPECT_TRUE(result.models.empty());
  }
}

TEST_F(ScanTest, MissingRoot) {
  EXPECT_EQ(ScanRepository(root() / "none").status(), absl::NotFoundError("there is no such folder"));
}

TEST_F(ScanTest, FolderNamesAreShownEscaped) {
  MakeFolder("model/a\x1b[31m");
  EXPECT_EQ(ScanRepository(root())->unusable[0].reason,
            "there is no version folder; expected a positive integer such as 1, got 'a\\x1b[31m'");
}

TEST_F(ScanTest, ModelOneLevelTooHigh) {
  WriteText(root() / "model/model.json", "{}");
  EXPECT_EQ(
      ScanRepository(root())->unusable[0].reason,
      "there is no version folder; model.json stands in the model's own folder, expected in a folder such as 1 in it");
}

TEST_F(ScanTest, RootThatIsAFile) {
  WriteText(root() / "file", "");
  EXPECT_EQ(ScanRepository(root() / "file").status(), absl::NotFoundError("it is no folder"));
}

TEST(ParseModelFlagTest, NameAndFolder) {
  const ModelSource source = *ParseModelFlag("mlp=out/mlp=1");
  EXPECT_EQ(source.name, "mlp");
  EXPECT_EQ(source.version, 1);
  EXPECT_EQ(source.directory, "out/mlp=1");
}

TEST(ParseModelFlagTest, Errors) {
  EXPECT_EQ(ParseModelFlag("mlp").status(), absl::InvalidArgumentError("--model expects NAME=DIR, got 'mlp'"));
  EXPECT_EQ(ParseModelFlag("mlp=").status(), absl::InvalidArgumentError("--model expects NAME=DIR, got 'mlp='"));
  EXPECT_THAT(std::string(ParseModelFlag("a/b=dir").status().message()), HasSubstr("'a/b' is not a model name"));
}

TEST_F(ScanTest, NoDescriptorsLeft) {
  WriteRelu("m/1");
  const NoDescriptorsLeft none;
  EXPECT_EQ(ScanRepository(root()).status(),
            absl::ResourceExhaustedError("the folder cannot be read: Too many open files"));
}

}  // namespace
}  // namespace rml
