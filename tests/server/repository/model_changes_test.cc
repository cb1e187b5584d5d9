// A repository that changes while it is served: Triton's cases of a model's life, without a server and without waiting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/repository/changing_models.h"

namespace rml {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ModelChangesTest : public ChangingModels {};

TEST_F(ModelChangesTest, AVersionIsAdded) {
  WriteRelu("m/1");
  Start();
  WriteRelu("m/2");
  Look();
  EXPECT_THAT(States(), ElementsAre("m/1 READY", "m/2 LOADING")) << "it may still be on its way";
  EXPECT_EQ((*repository_->Find("m", 0))->version(), 1);
  Look();
  EXPECT_EQ((*repository_->Find("m", 0))->version(), 2);
  Look();
  EXPECT_THAT(States(), ElementsAre("m/2 READY"));
  EXPECT_THAT(metrics_.Text(), testing::Not(HasSubstr("model=\"m\",version=\"1\"")));
}

TEST_F(ModelChangesTest, AVersionServesItsLastRequestBeforeItGoes) {
  WriteText(root() / "m/1/model.json", kTwoStepsJson);
  Start();
  std::shared_ptr<ServedModel> request = *repository_->Find("m", 1);
  WriteRelu("m/2");
  for (int i = 0; i < 5; ++i) Look();
  EXPECT_THAT(States(), ElementsAre("m/1 UNLOADING", "m/2 READY"));
  EXPECT_EQ(request->version(), 1) << "it is still all there";
  const std::shared_ptr<ModelMetrics> metrics = repository_->Get("m", 1)->metrics;
  EXPECT_FALSE(metrics->ready);
  EXPECT_GT(metrics->memory_bytes, 0);
  request.reset();
  Look();
  EXPECT_THAT(States(), ElementsAre("m/2 READY"));
  EXPECT_EQ(metrics->memory_bytes, 0);
}

TEST_F(ModelChangesTest, TheLastVersionIsDeleted) {
  WriteRelu("m/1");
  WriteRelu("other/1");
  Start();
  fs::remove_all(root() / "m");
  Look();
  EXPECT_TRUE(repository_->Find("m", 0).ok()) << "it may come back at once";
  Look();
  Look();
  EXPECT_THAT(States(), ElementsAre("other/1 READY"));
  EXPECT_TRUE(absl::IsNotFound(repository_->Find("m", 0).status()));
}

TEST_F(ModelChangesTest, GoingBackByDeletingTheHighest) {
  WriteRelu("m/1");
  WriteRelu("m/2");
  Start();
  fs::remove_all(root() / "m/2");
  Settle();
  EXPECT_THAT(States(), ElementsAre("m/1 READY"));
}

TEST_F(ModelChangesTest, ACorruptVersionIsRefusedAndTheOldOneServes) {
  WriteRelu("m/1");
  Start();
  WriteText(root() / "m/2/model.json", "{");
  for (int i = 0; i < 4; ++i) Settle();
  EXPECT_THAT(States(), ElementsAre("m/1 READY", "m/2 FAILED"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("rml_model_loads_total{result=\"failure\"} 1\n")) << "tried more than once";
  EXPECT_EQ((*repository_->Find("m", 0))->version(), 1);
  WriteRelu("m/2");
  Settle();
  Look();
  EXPECT_THAT(States(), ElementsAre("m/2 READY"));
}

TEST_F(ModelChangesTest, AVersionThatDoesNotReproduceItsGoldenFileIsRefused) {
  WriteRelu("m/1");
  Start();
  WriteRelu("m/2");
  WriteText(root() / "m/2/golden.safetensors", ReluGolden({0, 0.25, 2}));
  Settle();
  EXPECT_THAT(Reason(2), HasSubstr("golden row check failed"));
  EXPECT_EQ((*repository_->Find("m", 0))->version(), 1);
}

TEST_F(ModelChangesTest, FilesReplacedInPlaceByBrokenOnes) {
  WriteRelu("m/1");
  Start();
  WriteText(root() / "m/1/model.json", "{");
  Settle();
  EXPECT_THAT(States(), ElementsAre("m/1 READY"));
  EXPECT_THAT(Reason(1), HasSubstr("model.json")) << "why what is there now is not served";
  WriteRelu("m/1");
  Settle();
  EXPECT_EQ(Reason(1), "");
  EXPECT_THAT(metrics_.Text(), HasSubstr("rml_model_loads_total{result=\"success\"} 2\n"));
}

TEST_F(ModelChangesTest, ACopyOnItsWayIsNotTouched) {
  WriteRelu("m/1");
  Start();
  const std::string whole(kReluJson);
  for (size_t bytes = 0; bytes < whole.size(); bytes += whole.size() / 5) {
    WriteText(root() / "m/2/model.json", whole.substr(0, bytes));
    Look();
    EXPECT_THAT(States(), ElementsAre("m/1 READY", "m/2 LOADING"));
  }
  WriteRelu("m/2");
  Settle();
  EXPECT_EQ((*repository_->Find("m", 0))->version(), 2);
  EXPECT_THAT(metrics_.Text(), HasSubstr("rml_model_loads_total{result=\"failure\"} 0\n"));
}

TEST_F(ModelChangesTest, AChangedConfigReloads) {
  WriteRelu("m/1");
  Start();
  WriteText(root() / "m/config.textproto", "instances: 3");
  Settle();
  EXPECT_EQ((*repository_->Find("m", 0))->loaded().instances.size(), 3);
  WriteText(root() / "m/config.textproto", "instances: 0");
  Settle();
  EXPECT_EQ((*repository_->Find("m", 0))->loaded().instances.size(), 3) << "a broken config takes nothing away";
  EXPECT_THAT(States(), ElementsAre("m/0 FAILED", "m/1 READY"));
  fs::remove(root() / "m/config.textproto");
  Settle();
  EXPECT_THAT(States(), ElementsAre("m/1 READY"));
}

TEST_F(ModelChangesTest, ARepositoryThatVanishesUnloadsNothing) {
  WriteRelu("m/1");
  Start();
  fs::rename(root(), root().string() + ".away");
  Settle();
  Settle();
  EXPECT_TRUE(repository_->Find("m", 0).ok());
  EXPECT_THAT(errors_, ElementsAre("there is no such folder")) << "once, not at every look";
  fs::rename(root().string() + ".away", root());
  Settle();
  EXPECT_THAT(States(), ElementsAre("m/1 READY"));
}

TEST_F(ModelChangesTest, StaticModeChangesWhenToldTo) {
  options_.mode = RepositoryMode::kStatic;
  WriteRelu("m/1");
  Start();
  WriteRelu("m/2");
  for (int i = 0; i < 5; ++i) Look();
  EXPECT_THAT(States(), ElementsAre("m/1 READY"));
  repository_->Reread();
  repository_->Step(stop_);
  EXPECT_THAT(States(), ElementsAre("m/2 READY"));
  Outcome load;
  repository_->Load("m", load.done());
  EXPECT_EQ(*load.status, absl::FailedPreconditionError("models are loaded and unloaded on request in repository mode "
                                                        "'explicit' only; this server's is 'static'"));
}

TEST_F(ModelChangesTest, RereadTriesAgainWhatFailed) {
  options_.mode = RepositoryMode::kStatic;
  WriteRelu("m/1");
  bool fail = true;
  options_.load = [&](const ModelSource& source, const ServeOptions& serve,
                      const std::atomic<bool>& stop) -> absl::StatusOr<LoadedModel> {
    if (fail) return absl::ResourceExhaustedError("out of memory");
    return LoadModel(source, serve, stop);
  };
  Start();
  EXPECT_THAT(States(), ElementsAre("m/1 FAILED"));
  fail = false;
  repository_->Reread();
  repository_->Step(stop_);
  EXPECT_THAT(States(), ElementsAre("m/1 READY"));
}

}  // namespace
}  // namespace rml
