#include "server/service/open_inference_api.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/graph/graph_file.h"
#include "server/service/model_description.h"
#include "tests/server/service/answer.h"
#include "tests/server/service/every_input.h"
#include "tests/server/service/served_models.h"

namespace rml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kRelu[] =
    "model_name: 'relu' inputs { name: 'x' datatype: 'FP32' shape: [1, 3] contents { fp32_contents: [-1, 0, 2] } } ";

class OpenInferenceApiTest : public ServedModels {
 protected:
  absl::Status Infer(const std::string& text, Method method = Method::kModelInfer) {
    inference::ModelInferRequest request;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &request)) << text;
    response_.Clear();
    return AnswerOf([&](const auto& done) { open_api_.Infer(method, request, response_, SteadyTime::max(), done); });
  }

  // What `ask` says of a model by name and version.
  template <typename Request, typename Response>
  absl::StatusOr<Response> Ask(absl::Status (OpenInferenceApi::*ask)(const Request&, Response&),
                               const std::string& name, const std::string& version = "") {
    Request request;
    request.set_name(name);
    request.set_version(version);
    Response response;
    absl::Status status = (open_api_.*ask)(request, response);
    if (!status.ok()) return status;
    return response;
  }

  inference::ModelInferResponse response_;
};

TEST_F(OpenInferenceApiTest, InferAnswersRawAndEchoesTheId) {
  ASSERT_TRUE(Infer(std::string(kRelu) + "id: 'r7'").ok());
  EXPECT_EQ(response_.model_name(), "relu");
  EXPECT_EQ(response_.model_version(), "1");
  EXPECT_EQ(response_.id(), "r7");
  EXPECT_TRUE(response_.parameters().empty());
  ASSERT_EQ(response_.outputs_size(), 1);
  EXPECT_EQ(response_.outputs(0).name(), "y");
  EXPECT_EQ(response_.outputs(0).datatype(), "FP32");
  EXPECT_THAT(response_.outputs(0).shape(), ElementsAre(1, 3));
  EXPECT_FALSE(response_.outputs(0).has_contents());
  EXPECT_THAT(response_.raw_output_contents(), ElementsAre(std::string("\0\0\0\0\0\0\0\0\0\0\0\x40", 12)));
}

TEST_F(OpenInferenceApiTest, TheLastResponseIsMarkedWhenAsked) {
  for (const bool asked : {true, false}) {
    ASSERT_TRUE(Infer(std::string(kRelu) +
                      "parameters { key: 'triton_enable_empty_final_response' value { bool_param: " +
                      (asked ? "true" : "false") + " } }")
                    .ok());
    EXPECT_EQ(response_.parameters().count("triton_final_response"), asked ? 1u : 0u);
  }
}

TEST_F(OpenInferenceApiTest, ErrorsOfInfer) {
  EXPECT_EQ(Infer("model_name: 'nope'"), absl::NotFoundError("there is no model 'nope'; the server has: broken, relu"));
  EXPECT_EQ(Infer("model_name: 'relu' model_version: '5'"),
            absl::NotFoundError("model 'relu' has no version 5; it has: 1"));
  const absl::Status version = Infer("model_name: 'relu' model_version: 'new'");
  EXPECT_EQ(version.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(*version.GetPayload(kBadRequestType)), HasSubstr("model_version"));
  EXPECT_TRUE(absl::IsFailedPrecondition(Infer("model_name: 'broken'")));
  EXPECT_EQ(std::string(Infer("model_name: 'relu'").message()),
            "model 'relu' version 1: input 'x' is missing; expected FP32[B, 3]");
}

// One microsecond is over when the job is queued, or when it is taken from there.
TEST_F(OpenInferenceApiTest, TimeoutIsADeadline) {
  const absl::Status status = Infer(std::string(kRelu) + "parameters { key: 'timeout' value { int64_param: 1 } }");
  EXPECT_EQ(status, absl::DeadlineExceededError(
                        "model 'relu' version 1: the deadline passed before the request was started; not started"));
}

TEST_F(OpenInferenceApiTest, Readiness) {
  inference::ServerReadyResponse server;
  ASSERT_TRUE(open_api_.ServerReady({}, server).ok());
  EXPECT_FALSE(server.ready());
  health_.Set("", Serving::kServing);
  health_.Set("relu", Serving::kServing);
  health_.Set("broken", Serving::kNotServing);
  ASSERT_TRUE(open_api_.ServerReady({}, server).ok());
  EXPECT_TRUE(server.ready());
  EXPECT_TRUE(Ask(&OpenInferenceApi::ModelReady, "relu")->ready());
  EXPECT_TRUE(Ask(&OpenInferenceApi::ModelReady, "relu", "1")->ready());
  EXPECT_FALSE(Ask(&OpenInferenceApi::ModelReady, "broken")->ready());
  EXPECT_TRUE(absl::IsNotFound(Ask(&OpenInferenceApi::ModelReady, "nope").status()));
  EXPECT_TRUE(absl::IsNotFound(Ask(&OpenInferenceApi::ModelReady, "relu", "2").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Ask(&OpenInferenceApi::ModelReady, "relu", "x").status()));
  health_.StopServing();
  ASSERT_TRUE(open_api_.ServerReady({}, server).ok());
  EXPECT_FALSE(server.ready());
  EXPECT_FALSE(Ask(&OpenInferenceApi::ModelReady, "relu")->ready());
  inference::ServerLiveResponse live;
  ASSERT_TRUE(open_api_.ServerLive({}, live).ok());
  EXPECT_TRUE(live.live());
}

TEST_F(OpenInferenceApiTest, MetadataAndConfig) {
  inference::ServerMetadataResponse server;
  ASSERT_TRUE(open_api_.ServerMetadata({}, server).ok());
  EXPECT_EQ(server.name(), "rml");
  EXPECT_EQ(server.version(), "1.2.3");
  EXPECT_THAT(server.extensions(), ElementsAre("model_configuration", "statistics", "schedule_policy"));

  const auto metadata = Ask(&OpenInferenceApi::ModelMetadata, "relu");
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  EXPECT_EQ(metadata->DebugString(),
            "name: \"relu\"\nversions: \"1\"\nplatform: \"rml-graph\"\n"
            "inputs {\n  name: \"x\"\n  datatype: \"FP32\"\n  shape: -1\n  shape: 3\n}\n"
            "outputs {\n  name: \"y\"\n  datatype: \"FP32\"\n  shape: -1\n  shape: 3\n}\n");

  const auto config = Ask(&OpenInferenceApi::ModelConfig, "relu");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->config().DebugString(),
            "name: \"relu\"\nplatform: \"rml-graph\"\nmax_batch_size: 7\n"
            "input {\n  name: \"x\"\n  data_type: TYPE_FP32\n  dims: 3\n}\n"
            "output {\n  name: \"y\"\n  data_type: TYPE_FP32\n  dims: 3\n}\n"
            "instance_group {\n  name: \"relu\"\n  count: 2\n  kind: KIND_CPU\n}\nbackend: \"rml\"\n");

  for (const char* model : {"nope", "broken"}) {
    const absl::StatusCode code =
        std::string(model) == "nope" ? absl::StatusCode::kNotFound : absl::StatusCode::kFailedPrecondition;
    EXPECT_EQ(Ask(&OpenInferenceApi::ModelMetadata, model).status().code(), code);
    EXPECT_EQ(Ask(&OpenInferenceApi::ModelConfig, model).status().code(), code);
    EXPECT_EQ(Ask(&OpenInferenceApi::ModelStatistics, model).status().code(), code);
  }
}

TEST_F(OpenInferenceApiTest, StatisticsFromTheFirstRequest) {
  const auto statistics = [&](const std::string& name) {
    const auto response = Ask(&OpenInferenceApi::ModelStatistics, name);
    EXPECT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->model_stats_size(), 1);  // "broken" has none
    return response->model_stats(0);
  };
  EXPECT_EQ(statistics("relu").inference_count(), 0u);
  EXPECT_EQ(statistics("").last_inference(), 0u);
  ASSERT_TRUE(Infer(kRelu).ok());
  const inference::ModelStatistics first = statistics("relu");
  EXPECT_EQ(first.name(), "relu");
  EXPECT_EQ(first.version(), "1");
  EXPECT_EQ(first.inference_count(), 1u);
  EXPECT_EQ(first.execution_count(), 1u);
  EXPECT_GT(first.last_inference(), 0u);
  EXPECT_EQ(first.inference_stats().success().count(), 1u);
  const inference::InferStatistics& all = first.inference_stats();
  for (const auto* part : {&all.compute_input(), &all.compute_infer(), &all.compute_output(), &all.queue()}) {
    EXPECT_EQ(part->count(), 1u);
    EXPECT_GT(part->ns(), 0u);
  }
  EXPECT_GE(all.success().ns(), all.compute_input().ns() + all.queue().ns() + all.compute_infer().ns());
  EXPECT_EQ(first.memory_usage(0).type(), "CPU");
  EXPECT_EQ(static_cast<int64_t>(first.memory_usage(0).byte_size()), metrics_.ForModel("relu", 1)->memory_bytes);

  v1::RunRequest run;  // the other protocol counts too
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "model: 'relu' inputs { name: 'x' shape: [2, 3] f32: [1, 2, 3, 4, 5, 6] }", &run));
  v1::RunResponse answer;
  ASSERT_TRUE(AnswerOf([&](const auto& done) { api_.Run(run, answer, SteadyTime::max(), done); }).ok());
  EXPECT_FALSE(Infer("model_name: 'relu'", Method::kModelStreamInfer).ok());
  const inference::ModelStatistics third = statistics("");
  EXPECT_EQ(third.inference_count(), 3u);
  EXPECT_EQ(third.execution_count(), 2u);
  EXPECT_EQ(third.inference_stats().success().count(), 2u);
  EXPECT_EQ(third.inference_stats().fail().count(), 1u);
  EXPECT_GT(third.inference_stats().fail().ns(), 0u);
  ASSERT_EQ(third.batch_stats_size(), 2);
  EXPECT_EQ(third.batch_stats(0).batch_size(), 1u);
  EXPECT_EQ(third.batch_stats(1).batch_size(), 2u);
  EXPECT_EQ(third.batch_stats(1).compute_infer().count(), 1u);
  EXPECT_EQ(third.batch_stats(0).compute_infer().ns(), first.batch_stats(0).compute_infer().ns());
}

TEST_F(OpenInferenceApiTest, RepositoryIndex) {
  inference::RepositoryIndexRequest request;
  inference::RepositoryIndexResponse response;
  ASSERT_TRUE(open_api_.RepositoryIndex(request, response).ok());
  ASSERT_EQ(response.models_size(), 2);
  EXPECT_EQ(response.models(0).name(), "broken");
  EXPECT_EQ(response.models(0).version(), "2");
  EXPECT_EQ(response.models(0).state(), "UNAVAILABLE");
  EXPECT_THAT(response.models(0).reason(), HasSubstr("model.json"));
  EXPECT_EQ(response.models(1).DebugString(), "name: \"relu\"\nversion: \"1\"\nstate: \"READY\"\n");
  request.set_ready(true);
  response.Clear();
  ASSERT_TRUE(open_api_.RepositoryIndex(request, response).ok());
  EXPECT_EQ(response.models_size(), 1);
  request.set_repository_name("second");
  EXPECT_EQ(open_api_.RepositoryIndex(request, response),
            absl::NotFoundError("there is no repository 'second'; the only one of this server has no name"));
}

TEST_F(OpenInferenceApiTest, CountsByMethod) {
  EXPECT_TRUE(Infer(kRelu).ok());
  EXPECT_TRUE(Infer(kRelu, Method::kModelStreamInfer).ok());
  EXPECT_FALSE(Infer("model_name: 'relu' model_version: 'x'").ok());
  EXPECT_TRUE(Ask(&OpenInferenceApi::ModelMetadata, "relu").ok());
  EXPECT_FALSE(Ask(&OpenInferenceApi::ModelConfig, "made_up").ok());
  const std::string text = metrics_.Text();
  for (const char* line : {
           "rml_requests_total{model=\"relu\",version=\"1\",method=\"ModelInfer\",code=\"OK\"} 1\n",
           "rml_requests_total{model=\"relu\",version=\"1\",method=\"ModelStreamInfer\",code=\"OK\"} 1\n",
           "rml_requests_total{model=\"relu\",version=\"1\",method=\"ModelMetadata\",code=\"OK\"} 1\n",
           "rml_requests_total{model=\"\",version=\"\",method=\"ModelInfer\",code=\"INVALID_ARGUMENT\"} 1\n",
           "rml_requests_total{model=\"\",version=\"\",method=\"ModelConfig\",code=\"NOT_FOUND\"} 1\n",
           "rml_request_duration_seconds_count{model=\"relu\",version=\"1\"} 2\n",
           "rml_requests_in_flight{model=\"relu\",version=\"1\"} 0\n",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

// A batch as the protocol means it: one row of each tensor an item, from one item on.
TEST(MaxBatchSizeTest, OnlyWhereEveryFirstDimIsTheRows) {
  const auto max_batch = [](const std::string& json) {
    auto program = Program::Compile(*ReadGraph(json, ""));
    EXPECT_TRUE(program.ok()) << program.status();
    LoadedModel model;
    model.program = *program;
    model.max_rows = 5;
    return MaxBatchSize(model);
  };
  const std::string relu = kReluJson;
  const auto with = [&relu](const std::string& old, const std::string& replacement) {
    std::string json = relu;
    for (size_t at = json.find(old); at != std::string::npos; at = json.find(old, at + replacement.size())) {
      json.replace(at, old.size(), replacement);
    }
    return json;
  };
  EXPECT_EQ(max_batch(relu), 5);
  EXPECT_EQ(max_batch(kEveryInput), std::nullopt) << "2*B and a scalar";
  EXPECT_EQ(max_batch(with("\"min\":1", "\"min\":2")), std::nullopt);
  EXPECT_EQ(max_batch(with("\"name\":\"y\",\"rows\":true", "\"name\":\"y\"")), std::nullopt) << "rows not independent";
  EXPECT_EQ(max_batch(with("[\"B\",3]", "[3,\"B\"]")), std::nullopt);
}

}  // namespace
}  // namespace rml
