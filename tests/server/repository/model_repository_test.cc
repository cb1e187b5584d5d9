#include "server/repository/model_repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "server/repository/golden_check.h"
#include "tests/server/repository/model_files.h"

namespace rml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ModelRepositoryTest : public ModelFiles {
 protected:
  ModelRepositoryTest() {
    options_.on_change = [this](const ModelStatus& status) { changes_.emplace_back(status.name, status.state); };
    WriteRelu("good/1");
    WriteText(root() / "broken/1/model.json", "{");
    std::filesystem::create_directories(root() / "empty");
  }

  RepositoryOptions options_;
  std::vector<std::pair<std::string, ModelState>> changes_;
  MetricsRegistry metrics_{{}};
};

TEST_F(ModelRepositoryTest, OneBrokenModelDoesNotStopTheOthers) {
  ModelRepository repository(options_, metrics_);
  repository.Add(*ScanRepository(root()));
  EXPECT_EQ(repository.Find("good", 0).status(),
            absl::UnavailableError("model 'good' version 1 is loading; try again"));
  repository.LoadAll(false);
  ASSERT_TRUE(repository.Find("good", 0).ok());
  EXPECT_EQ((*repository.Find("good", 1))->label(), "model 'good' version 1");
  const absl::Status broken = repository.Find("broken", 1).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(broken));
  EXPECT_THAT(std::string(broken.message()), HasSubstr("model 'broken' version 1 is not loaded: "));
  EXPECT_THAT(std::string(repository.Find("empty", 0).status().message()), HasSubstr("there is no version folder"));
  EXPECT_THAT(changes_, ElementsAre(std::pair("broken", ModelState::kLoading), std::pair("empty", ModelState::kFailed),
                                    std::pair("good", ModelState::kLoading), std::pair("broken", ModelState::kFailed),
                                    std::pair("good", ModelState::kReady)));
  const std::string text = metrics_.Text();
  EXPECT_THAT(text, HasSubstr("rml_model_loads_total{result=\"failure\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("rml_model_ready{model=\"good\",version=\"1\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("rml_model_ready{model=\"broken\",version=\"1\"} 0\n"));
}

TEST_F(ModelRepositoryTest, UnknownNamesAndVersions) {
  ModelRepository repository(options_, metrics_);
  repository.Add(*ScanRepository(root()));
  repository.LoadAll(false);
  EXPECT_EQ(repository.Find("gooood", 0).status(),
            absl::NotFoundError("there is no model 'gooood'; the server has: broken, empty, good"));
  EXPECT_EQ(repository.Find("good", 7).status(), absl::NotFoundError("model 'good' has no version 7; it has: 1"));
  EXPECT_LT(repository.Find(std::string(5000, 'x'), 0).status().message().size(), 200);
}

TEST_F(ModelRepositoryTest, ServesTheHighestVersionThatIsReady) {
  WriteRelu("two/1");
  WriteRelu("two/2");
  WriteText(root() / "two/3/model.json", "{");
  WriteText(root() / "two/config.textproto", "version_policy { all {} }");
  ModelRepository repository(options_, metrics_);
  repository.Add(*ScanRepository(root()));
  repository.LoadAll(false);
  EXPECT_EQ((*repository.Find("two", 0))->version(), 2);
  EXPECT_EQ((*repository.Find("two", 1))->version(), 1);
  EXPECT_TRUE(absl::IsFailedPrecondition(repository.Find("two", 3).status()));
  EXPECT_EQ(repository.Find("two", 4).status(), absl::NotFoundError("model 'two' has no version 4; it has: 1, 2, 3"));
}

TEST_F(ModelRepositoryTest, AModelThatIsUnusableAsAWholeIsSoInEveryVersion) {
  WriteText(root() / "good/config.textproto", "instances: 0");
  ModelRepository repository(options_, metrics_);
  repository.Add(*ScanRepository(root()));
  repository.LoadAll(false);
  for (int64_t version : {0, 1, 7}) {
    EXPECT_EQ(repository.Find("good", version).status(),
              absl::FailedPreconditionError(
                  "model 'good' is not loaded: config.textproto:1:1: instances is 0; expected 1 to 1024"));
  }
  EXPECT_THAT(metrics_.Text(), HasSubstr("rml_model_ready{model=\"good\",version=\"0\"} 0\n"));
}

TEST_F(ModelRepositoryTest, TheConfigOverridesTheOptions) {
  options_.serve = {.instances = 1, .queue_limit = 9};
  WriteText(root() / "good/config.textproto", "instances: 3");
  ModelRepository repository(options_, metrics_);
  repository.Add(*ScanRepository(root()));
  repository.LoadAll(false);
  const LoadedModel& loaded = (*repository.Find("good", 0))->loaded();
  EXPECT_EQ(loaded.instances.size(), 3);
  EXPECT_EQ(loaded.options.queue_limit, 9);
}

TEST_F(ModelRepositoryTest, MemoryGrowsWithTheRowsThatAModelMeets) {
  WriteText(root() / "good/1/model.json", kTwoStepsJson);
  options_.serve.instances = 2;
  ModelRepository repository(options_, metrics_);
  repository.Add(*ScanRepository(root()));
  repository.LoadAll(false);
  ServedModel& model = **repository.Find("good", 0);
  const int64_t at_first = model.arena_bytes();
  EXPECT_EQ(at_first, model.instance(0).executor->arena_bytes() + model.instance(1).executor->arena_bytes());
  const int64_t metric_at_first = model.metrics().memory_bytes;
  ModelInstance& used = model.instance(1);
  const std::vector<Tensor> inputs = *model.program().ZeroInputs(4096);
  ASSERT_TRUE(used.executor->Run(Views(inputs), used.outputs).ok());
  model.CountMemory(1);
  model.CountMemory(1);  // nothing new
  EXPECT_GE(model.arena_bytes(), at_first + 4096 * 3 * 4 - 64);
  EXPECT_EQ(model.arena_bytes(), model.instance(0).executor->arena_bytes() + used.executor->arena_bytes());
  EXPECT_EQ(model.metrics().memory_bytes, metric_at_first + model.arena_bytes() - at_first);
}

TEST_F(ModelRepositoryTest, AModelThatIsGoneIsNeitherReadyNorHoldsMemory) {
  const auto metrics = metrics_.ForModel("good", 1);
  {
    ModelRepository repository(options_, metrics_);
    repository.Add(*ScanRepository(root()));
    repository.LoadAll(false);
    EXPECT_TRUE(metrics->ready);
  }
  EXPECT_FALSE(metrics->ready);
  EXPECT_EQ(metrics->memory_bytes, 0);
}

TEST_F(ModelRepositoryTest, FoldersThatVanishAfterTheScanFailAlone) {
  WriteRelu("other/1");
  ModelRepository repository(options_, metrics_);
  repository.Add(*ScanRepository(root()));
  std::filesystem::remove_all(root() / "good");
  repository.LoadAll(false);
  EXPECT_EQ(repository.Get("good", 0)->reason, "opening file 'model.json': No such file or directory");
  EXPECT_TRUE(repository.Find("other", 0).ok());
}

TEST_F(ModelRepositoryTest, StopsBetweenModels) {
  ModelRepository repository(options_, metrics_);
  repository.Add(*ScanRepository(root()));
  repository.LoadAll(true);
  EXPECT_EQ(repository.Get("good", 0)->state, ModelState::kLoading);
}

TEST_F(ModelRepositoryTest, ListIsSorted) {
  ModelRepository repository(options_, metrics_);
  repository.Add(*ScanRepository(root()));
  std::vector<std::string> names;
  for (const ModelStatus& status : repository.List()) names.push_back(status.name);
  EXPECT_THAT(names, ElementsAre("broken", "empty", "good"));
}

}  // namespace
}  // namespace rml
