// Models loaded and unloaded on request, by one client and by many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "tests/server/repository/changing_models.h"

namespace rml {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ExplicitTest : public ChangingModels {
 protected:
  ExplicitTest() { options_.mode = RepositoryMode::kExplicit; }

  absl::Status Load(const std::string& name) {
    Outcome outcome;
    repository_->Load(name, outcome.done());
    repository_->Step(stop_);
    return outcome.status.value_or(absl::UnknownError("not answered"));
  }
  absl::Status Unload(const std::string& name) {
    Outcome outcome;
    repository_->Unload(name, outcome.done());
    repository_->Step(stop_);
    return outcome.status.value_or(absl::UnknownError("not answered"));
  }
};

TEST_F(ExplicitTest, OnlyWhatIsAskedForIsLoaded) {
  for (const char* model : {"a/1", "m/1"}) WriteRelu(model);
  options_.load_at_start = {"a", "none"};
  Start();
  EXPECT_THAT(States(), ElementsAre("a/1 READY", "m/1 UNLOADED", "none/0 FAILED"));
  EXPECT_EQ(repository_->Find("m", 0).status(), absl::FailedPreconditionError("model 'm' version 1 is not loaded"));
  EXPECT_THAT(metrics_.Text(), testing::Not(HasSubstr("model=\"m\"")));
  EXPECT_EQ(Load("m"), absl::OkStatus());
  EXPECT_EQ(Unload("a"), absl::OkStatus());
  EXPECT_THAT(States(), ElementsAre("a/1 UNLOADED", "m/1 READY", "none/0 FAILED"));
  EXPECT_THAT(metrics_.Text(), testing::Not(HasSubstr("model=\"a\"")));
  EXPECT_EQ(Unload("a"), absl::OkStatus()) << "again";
  EXPECT_EQ(Load("m"), absl::OkStatus()) << "again";
  EXPECT_EQ(Load("mm"), absl::NotFoundError("there is no model 'mm'; the server has: a, m, none"));
  EXPECT_TRUE(absl::IsNotFound(Unload("mm")));
}

TEST_F(ExplicitTest, ALoadSaysWhatIsWrong) {
  WriteRelu("m/1");
  Start();
  EXPECT_EQ(Load("m"), absl::OkStatus());
  WriteText(root() / "m/1/model.json", "{");
  const absl::Status refused = Load("m");
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(std::string(refused.message()), testing::StartsWith("model 'm' version 1: graph file 'model.json'"));
  EXPECT_TRUE(repository_->Find("m", 0).ok());
  fs::remove_all(root() / "m");
  EXPECT_EQ(Load("m"), absl::NotFoundError("model 'm' has no folder in the repository any more"));
  EXPECT_TRUE(repository_->Find("m", 0).ok()) << "it serves until it is unloaded";
  EXPECT_EQ(Unload("m"), absl::OkStatus());
  EXPECT_THAT(States(), IsEmpty());
}

TEST_F(ExplicitTest, AnUnloadIsAnsweredWhenTheLastRequestIs) {
  WriteRelu("m/1");
  options_.load_at_start = {"m"};
  Start();
  std::shared_ptr<ServedModel> request = *repository_->Find("m", 0);
  Outcome unload;
  repository_->Unload("m", unload.done());
  repository_->Step(stop_);
  EXPECT_FALSE(unload.status);
  EXPECT_THAT(States(), ElementsAre("m/1 UNLOADING"));
  EXPECT_TRUE(absl::IsFailedPrecondition(repository_->Find("m", 0).status()));
  request.reset();
  repository_->Step(stop_);
  EXPECT_EQ(unload.status, absl::OkStatus());
  EXPECT_THAT(States(), ElementsAre("m/1 UNLOADED"));
}

TEST_F(ExplicitTest, LoadedAgainWhileItIsUnloaded) {
  WriteText(root() / "m/1/model.json", kTwoStepsJson);
  options_.load_at_start = {"m"};
  Start();
  std::shared_ptr<ServedModel> request = *repository_->Find("m", 0);
  Outcome unload;
  repository_->Unload("m", unload.done());
  repository_->Step(stop_);
  EXPECT_EQ(Load("m"), absl::OkStatus());
  EXPECT_THAT(States(), ElementsAre("m/1 READY"));
  const std::shared_ptr<ModelMetrics> metrics = repository_->Get("m", 1)->metrics;
  const int64_t both = metrics->memory_bytes;
  request.reset();
  repository_->Step(stop_);
  EXPECT_EQ(unload.status, absl::OkStatus());
  EXPECT_THAT(States(), ElementsAre("m/1 READY"));
  EXPECT_GT(both, 0);
  EXPECT_EQ(metrics->memory_bytes * 2, both);
  EXPECT_TRUE(metrics->ready);
}

TEST_F(ExplicitTest, AModelThatDoesNotFitBesideTheOthers) {
  for (const char* model : {"a", "m"}) WriteText(root() / model / "1/model.json", kTwoStepsJson);
  options_.memory_limit = 100;
  options_.load_at_start = {"a"};
  Start();
  const int64_t each = repository_->Get("a", 1)->served->memory_bytes();
  ASSERT_GT(2 * each, 100) << "choose a lower limit";
  const std::string held =
      "(" + std::to_string(each) + " bytes are held by model 'a' version 1 " + std::to_string(each);
  EXPECT_THAT(std::string(Load("m").message()), HasSubstr(held));
  EXPECT_EQ(Unload("a"), absl::OkStatus());
  EXPECT_EQ(Load("m"), absl::OkStatus()) << "there is room for it now";
}

TEST_F(ExplicitTest, TooManyRequestsAndNoneAfterTheEnd) {
  WriteRelu("m/1");
  Start();
  std::vector<Outcome> outcomes(RepositoryMailbox::kMaxRequests + 1);
  for (Outcome& outcome : outcomes) repository_->Unload("m", outcome.done());
  EXPECT_TRUE(absl::IsResourceExhausted(*outcomes.back().status));
  stop_ = true;
  repository_->Step(stop_);
  EXPECT_EQ(outcomes.front().status, absl::UnavailableError("the server is shutting down"));
  repository_->KeepUpToDate(stop_);
  Outcome late;
  repository_->Load("m", late.done());
  EXPECT_EQ(late.status, absl::UnavailableError("the server is shutting down"));
}

// A server that is told to end while it loads: the load is broken off, whoever asked for it is told.
TEST_F(ExplicitTest, TheEndComesDuringALoad) {
  WriteRelu("m/1");
  options_.load = [&](const ModelSource& source, const ServeOptions& serve, const std::atomic<bool>& stop) {
    stop_ = true;
    repository_->Wake();
    return LoadModel(source, serve, stop);
  };
  Start();
  Outcome load, waiting;
  repository_->Load("m", load.done());
  repository_->Load("m", waiting.done());
  repository_->KeepUpToDate(stop_);
  EXPECT_TRUE(absl::IsUnavailable(*load.status));
  EXPECT_TRUE(absl::IsUnavailable(*waiting.status));
}

// Requests by many clients while the model is loaded, reloaded and unloaded by many others. Run under ThreadSanitizer.
TEST_F(ExplicitTest, ManyClientsLoadUnloadAndUseTheSameModel) {
  constexpr int kClients = 3, kTurns = 20;
  WriteRelu("m/1");
  options_.now = std::chrono::steady_clock::now;
  options_.load_at_start = {"m"};
  Start();
  std::thread keeper([&] { repository_->KeepUpToDate(stop_); });
  std::atomic<int> answered{0};
  std::atomic<bool> all_answered{false};
  std::vector<std::thread> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([&] {
      for (int turn = 0; turn < kTurns; ++turn) {
        const auto done = [&](const absl::Status& status) {
          EXPECT_TRUE(status.ok()) << status;
          if (++answered == kClients * kTurns * 2) all_answered = true;
        };
        repository_->Load("m", done);
        repository_->Unload("m", done);
      }
    });
    clients.emplace_back([&] {
      while (!all_answered) {
        const auto model = repository_->Find("m", 0);
        if (!model.ok()) continue;
        const std::vector<Tensor> inputs = *(*model)->program().ZeroInputs(2);
        EXPECT_TRUE((*model)->program().CheckInputs(Views(inputs)).ok());
      }
    });
  }
  for (std::thread& client : clients) client.join();
  stop_ = true;
  repository_->Wake();
  keeper.join();
  EXPECT_THAT(States(), ElementsAre("m/1 UNLOADED"));
}

}  // namespace
}  // namespace rml
