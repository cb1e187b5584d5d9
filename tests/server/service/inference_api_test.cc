#include "server/service/inference_api.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "tests/server/service/answer.h"
#include "tests/server/service/served_models.h"

namespace rml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class InferenceApiTest : public ServedModels {
 protected:
  absl::Status Run(const std::string& text, SteadyTime deadline = SteadyTime::max()) {
    v1::RunRequest request;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &request));
    response_.Clear();
    return AnswerOf([&](const auto& done) { api_.Run(request, response_, deadline, done); });
  }

  v1::RunResponse response_;
};

TEST_F(InferenceApiTest, ListsComeBackAsLists) {
  ASSERT_TRUE(Run("model: 'relu' request_id: 'r7' inputs { name: 'x' shape: [1, 3] f32: [-1, 0, 2] }").ok());
  EXPECT_EQ(response_.model(), "relu");
  EXPECT_EQ(response_.version(), 1);
  EXPECT_EQ(response_.request_id(), "r7");
  ASSERT_EQ(response_.outputs_size(), 1);
  EXPECT_EQ(response_.outputs(0).name(), "y");
  EXPECT_EQ(response_.outputs(0).dtype(), v1::F32);
  EXPECT_THAT(response_.outputs(0).shape(), ElementsAre(1, 3));
  EXPECT_THAT(response_.outputs(0).f32(), ElementsAre(0, 0, 2));
  EXPECT_TRUE(response_.outputs(0).raw().empty());
  EXPECT_GT(response_.timing().compute_seconds(), 0);
}

TEST_F(InferenceApiTest, RawComesBackRaw) {
  ASSERT_TRUE(Run(R"(model: 'relu' inputs { name: 'x' dtype: F32 shape: [1, 3]
                     raw: '\000\000\200\277\000\000\000\000\000\000\000\100' })")
                  .ok());
  EXPECT_EQ(response_.outputs(0).raw(), std::string("\0\0\0\0\0\0\0\0\0\0\0\x40", 12));
  EXPECT_EQ(response_.outputs(0).f32_size(), 0);
}

TEST_F(InferenceApiTest, Errors) {
  EXPECT_EQ(Run("model: 'nope'"), absl::NotFoundError("there is no model 'nope'; the server has: broken, relu"));
  EXPECT_EQ(Run("model: 'relu' version: 5"), absl::NotFoundError("model 'relu' has no version 5; it has: 1"));
  EXPECT_TRUE(absl::IsFailedPrecondition(Run("model: 'broken'")));
  EXPECT_THAT(std::string(Run("model: 'relu'").message()), HasSubstr("model 'relu' version 1: input 'x' is missing"));
}

TEST_F(InferenceApiTest, LateRequestsAreNotStarted) {
  const absl::Status status = Run("model: 'relu' inputs { name: 'x' shape: [1, 3] f32: [-1, 0, 2] }",
                                  std::chrono::steady_clock::now() - std::chrono::seconds(1));
  EXPECT_TRUE(absl::IsDeadlineExceeded(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("not started"));
}

TEST_F(InferenceApiTest, EffectiveConfig) {
  v1::GetModelRequest request;
  request.set_name("relu");
  v1::GetModelResponse response;
  ASSERT_TRUE(api_.GetModel(request, response).ok());
  EXPECT_EQ(response.model().instances(), 2) << "of the config";
  EXPECT_EQ(response.model().max_rows(), 7);
  EXPECT_THAT(response.model().warm_up_rows(), ElementsAre(3));
  EXPECT_EQ(response.model().queue_limit(), 256) << "of the options";
  EXPECT_EQ(response.model().default_timeout_seconds(), 60);
}

TEST_F(InferenceApiTest, CountsByModelAndCode) {
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(Run("model: 'relu' inputs { name: 'x' shape: [2, 3] f32: [1, 2, 3, 4, 5, 6] }").ok());
  EXPECT_FALSE(Run("model: 'relu'").ok());
  EXPECT_FALSE(Run("model: 'made_up'").ok());
  EXPECT_FALSE(Run("model: 'broken'").ok());
  const std::string text = metrics_.Text();
  for (const char* line : {
           "rml_requests_total{model=\"relu\",version=\"1\",method=\"Run\",code=\"OK\"} 3\n",
           "rml_requests_total{model=\"relu\",version=\"1\",method=\"Run\",code=\"INVALID_ARGUMENT\"} 1\n",
           "rml_requests_total{model=\"broken\",version=\"2\",method=\"Run\",code=\"FAILED_PRECONDITION\"} 1\n",
           "rml_requests_total{model=\"\",version=\"\",method=\"Run\",code=\"NOT_FOUND\"} 1\n",
           "rml_compute_duration_seconds_count{model=\"relu\",version=\"1\"} 3\n",
           "rml_request_duration_seconds_count{model=\"relu\",version=\"1\"} 4\n",
           "rml_batch_size_sum{model=\"relu\",version=\"1\"} 6\n",
           "rml_requests_in_flight{model=\"relu\",version=\"1\"} 0\n",
           "rml_queue_depth{model=\"relu\",version=\"1\"} 0\n",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, testing::Not(HasSubstr("made_up")));
}

TEST_F(InferenceApiTest, ModelsWithStateAndReason) {
  v1::ListModelsResponse list;
  ASSERT_TRUE(api_.ListModels(list).ok());
  ASSERT_EQ(list.models_size(), 2);
  EXPECT_EQ(list.models(0).name(), "broken");
  EXPECT_EQ(list.models(0).state(), v1::FAILED);
  EXPECT_THAT(list.models(0).reason(), HasSubstr("model.json"));
  EXPECT_THAT(list.models(0).reason(), testing::Not(HasSubstr(root().string())));
  v1::GetModelRequest request;
  request.set_name("relu");
  v1::GetModelResponse response;
  ASSERT_TRUE(api_.GetModel(request, response).ok());
  const v1::Model& model = response.model();
  EXPECT_EQ(model.state(), v1::READY);
  EXPECT_TRUE(model.verified());
  ASSERT_EQ(model.inputs_size(), 1);
  EXPECT_THAT(model.inputs(0).shape(), ElementsAre(-1, 3));
  EXPECT_THAT(model.inputs(0).row_factors(), ElementsAre(1, 0));
  EXPECT_EQ(model.inputs(0).display(), "f32[B, 3]");
  EXPECT_TRUE(model.inputs(0).row_independent());
  EXPECT_EQ(model.max_rows(), 7);
  EXPECT_EQ(model.memory().total(), model.memory().constants() + model.memory().prepared() + model.memory().arenas());
  request.set_name("nope");
  EXPECT_TRUE(absl::IsNotFound(api_.GetModel(request, response)));
}

}  // namespace
}  // namespace rml
