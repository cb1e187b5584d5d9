// Every allocation of a size that matters, on a request's way, fails once: the request is answered with RESOURCE_EXHAUSTED,
// exactly once, and the next one is served.
#include "engine/base/out_of_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/health/health_board.h"
#include "server/metrics/registry.h"
#include "server/repository/golden_check.h"
#include "server/repository/load_model.h"
#include "server/repository/model_repository.h"
#include "server/repository/scan.h"
#include "server/service/inference_api.h"
#include "server/service/open_inference_api.h"
#include "tests/engine/failing_memory.h"
#include "tests/server/repository/model_files.h"

namespace rml {
namespace {

using testing::Contains;

constexpr int kCols = 500;

class ServedOutOfMemory : public ModelFiles {
 protected:
  // "wide" is relu of kCols columns: what is made for a row is large enough to fail.
  ServedOutOfMemory() {
    WriteWide("wide/1");
    repository_.Add(*ScanRepository(root()));
    repository_.LoadAll(false);
    run_.set_model("wide");
    v1::Tensor& x = *run_.add_inputs();
    x.set_name("x");
    x.add_shape(2);
    x.add_shape(kCols);
    for (int i = 0; i < 2 * kCols; ++i) x.add_f32(i % 2 == 0 ? -1.0f : 1.0f);
  }

  void WriteWide(const std::string& folder) {
    WriteText(root() / folder / "model.json", absl::StrReplaceAll(kReluJson, {{",3]", absl::StrCat(",", kCols, "]")}}));
    WriteText(root() / folder / "golden.safetensors",
              GoldenBytes(std::vector<float>(kCols, -1), std::vector<float>(kCols, 0)));
  }

  absl::Status Run(const v1::RunRequest& request) {
    v1::RunResponse response;
    return Answer([&](const Done& done) { api_.Run(request, response, SteadyTime::max(), done); });
  }

  absl::Status Infer(const inference::ModelInferRequest& request) {
    inference::ModelInferResponse response;
    return Answer(
        [&](const Done& done) { open_api_.Infer(Method::kModelInfer, request, response, SteadyTime::max(), done); });
  }

  absl::Status Profile(const v1::ProfileRequest& request) {
    v1::ProfileResponse response;
    return Answer([&](const Done& done) { api_.Profile(request, response, SteadyTime::max(), done); });
  }

  ModelSource Wide() {
    ModelSource source;
    source.name = "wide";
    source.directory = (root() / "wide/1").string();
    return source;
  }

  int64_t in_flight() { return metrics_.ForModel("wide", 1)->in_flight.load(); }

  const std::atomic<bool> stop_{false};
  v1::RunRequest run_;
  MetricsRegistry metrics_{{}};
  ModelRepository repository_{{}, metrics_};
  HealthBoard health_;
  InferenceApi api_{repository_, metrics_};
  OpenInferenceApi open_api_{repository_, metrics_, health_, ""};

 private:
  // The outcome of a call, which must be told once.
  template <typename Start>
  absl::Status Answer(const Start& start) {
    struct Outcome {
      absl::Status status;
      std::latch told{1};
      std::atomic<int> times{0};
    } outcome;
    start([&outcome](const absl::Status& status) {
      if (outcome.times.fetch_add(1) > 0) return;
      outcome.status = status;
      outcome.told.count_down();
    });
    outcome.told.wait();
    return outcome.times == 1 ? outcome.status : absl::InternalError("answered twice");
  }
};

TEST_F(ServedOutOfMemory, Run) {
  const auto messages = ExpectSurvivesAllocationFailures(
      {.run = [&] { return Run(run_); }, .after = [&] { return Run(run_); }, .leaves_threads = true});
  EXPECT_THAT(messages, Contains("model 'wide' version 1: out of memory"));
  EXPECT_EQ(in_flight(), 0);
}

TEST_F(ServedOutOfMemory, OpenInference) {
  inference::ModelInferRequest request;
  request.set_model_name("wide");
  auto& x = *request.add_inputs();
  x.set_name("x");
  x.set_datatype("FP32");
  x.add_shape(2);
  x.add_shape(kCols);
  request.add_raw_input_contents(std::string(2 * kCols * sizeof(float), '\0'));
  const auto messages = ExpectSurvivesAllocationFailures(
      {.run = [&] { return Infer(request); }, .after = [&] { return Infer(request); }, .leaves_threads = true});
  EXPECT_THAT(messages, Contains("model 'wide' version 1: out of memory"));
  EXPECT_EQ(in_flight(), 0);
}

TEST_F(ServedOutOfMemory, Profile) {
  v1::ProfileRequest request;
  request.set_model("wide");
  request.set_iterations(1);
  request.set_rows(3);
  request.set_source(v1::ZEROS);
  const auto messages = ExpectSurvivesAllocationFailures(
      {.run = [&] { return Profile(request); }, .after = [&] { return Run(run_); }, .leaves_threads = true});
  EXPECT_THAT(messages, Contains("input 'x': out of memory: 6000 bytes cannot be had"));
  EXPECT_EQ(in_flight(), 0);
}

TEST_F(ServedOutOfMemory, LoadModel) {
  const auto messages =
      ExpectSurvivesAllocationFailures({.run = [&] { return LoadModel(Wide(), {.instances = 2}, stop_).status(); }});
  EXPECT_THAT(messages, Contains("loading the model: out of memory"));
  EXPECT_THAT(messages, Contains("reading file 'golden.safetensors': out of memory: 4304 bytes cannot be had"));
}

TEST_F(ServedOutOfMemory, GoldenCheck) {
  const absl::StatusOr<LoadedModel> model = LoadModel(Wide(), {}, stop_);
  ASSERT_TRUE(model.ok()) << model.status();
  ExpectSurvivesAllocationFailures(
      {.run = [&] { return CheckGolden(*model->golden, *model->instances[0].executor).status(); }});
}

// Every model ends as ready or failed, with its reason, and those after one that failed are loaded.
TEST_F(ServedOutOfMemory, LoadingARepository) {
  WriteWide("wide2/1");
  const auto load = [&]() -> absl::Status {
    ModelRepository repository({}, metrics_);
    repository.Add(*ScanRepository(root()));
    repository.LoadAll(false);
    int ready = 0;
    for (const ModelStatus& status : repository.List()) {
      if (status.state == ModelState::kLoading) return absl::InternalError(status.name + " is loading for ever");
      if (status.state == ModelState::kFailed && status.reason.empty()) return absl::InternalError("no reason");
      ready += status.state == ModelState::kReady ? 1 : 0;
    }
    return ready == 2 ? absl::OkStatus() : absl::ResourceExhaustedError(absl::StrCat(ready, " ready"));
  };
  const auto messages = ExpectSurvivesAllocationFailures(
      {.run = [&] { return CatchOutOfMemory("the test itself", load); }, .modes = {FailingMemory::Mode::kOnce}});
  EXPECT_THAT(messages, Contains("1 ready"));
}

}  // namespace
}  // namespace rml
