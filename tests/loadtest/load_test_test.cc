// Whole load tests against servers in this process: what they do wrong must be found. Times are never looked at: a server
// that stalls does so for ever, and limits that a busy machine could break are far away.
#include "loadtest/load_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "client/cpp/tensor_message.h"
#include "engine/graph/safetensors.h"
#include "loadtest/bare_server.h"

namespace rml {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string TempPath(const std::string& name) { return testing::TempDir() + name; }

class LoadTestTest : public testing::Test {
 protected:
  LoadTestTest() {
    for (auto& element : x_.data<float>()) element = 0.5f;
    for (auto& element : y_.data<float>()) element = 2;
    golden_ = TempPath("load_test_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    EXPECT_TRUE(WriteSafetensors(golden_, {{"input.0", x_.view()}, {"output.0", y_.view()}}).ok());
    auto golden = ReadGolden(golden_);
    EXPECT_TRUE(golden.ok()) << golden.status();
    content_ = std::make_shared<const Golden>(*std::move(golden));
  }

  void Serve(RunHandler handler) {
    auto server = BareServer::Start(0, GoldenModel("m", *content_), std::move(handler));
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  RunHandler Right() const { return GoldenHandler(content_); }

  LoadTestOptions Options() const {
    return {.server = server_->address(),
            .models = {{.name = "m", .golden = golden_}},
            .workers = 4,
            .warm_up_seconds = 0,
            .duration_seconds = 60,
            .timeout_seconds = 30,
            .max_requests = 700,
            .limits = {.max_lateness = 1e9, .max_silence_seconds = 30}};
  }

  LoadReport Run(const LoadTestOptions& options) {
    absl::StatusOr<LoadReport> report = RunLoadTest(options);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *std::move(report) : LoadReport{};
  }

  Tensor x_{DType::kF32, Shape{2, 3}}, y_{DType::kF32, Shape{2, 2}};
  std::string golden_;
  std::shared_ptr<const Golden> content_;
  std::unique_ptr<BareServer> server_;
};

TEST_F(LoadTestTest, RightAnswersAreValidInAClosedLoop) {
  std::atomic<int> with_input{0};
  Serve([&, right = Right()](const v1::RunRequest& request, v1::RunResponse& response) {
    const auto input = FromMessage(request.inputs(0));
    if (request.inputs(0).name() == "input.0" && input.ok() && MaxAbsError(input->view(), x_.view()) == 0) ++with_input;
    return right(request, response);
  });
  const LoadReport report = Run(Options());
  EXPECT_THAT(report.invalid, IsEmpty());
  ASSERT_EQ(report.steps.size(), 1u);
  EXPECT_EQ(report.steps[0].stats.latency.count(), 700);
  EXPECT_EQ(report.steps[0].stats.models[0].compute.count(), 700);
  EXPECT_EQ(with_input, 700);
  // The server is this very process.
  ASSERT_TRUE(report.steps[0].server);
  EXPECT_EQ(report.steps[0].server->pid, getpid());
  EXPECT_GT(report.steps[0].server->rss_end_bytes, 0);
}

TEST_F(LoadTestTest, RightAnswersAreValidInAnOpenLoop) {
  Serve(Right());
  LoadTestOptions options = Options();
  options.workers = 0;
  options.rate = 1e6;
  EXPECT_THAT(Run(options).invalid, IsEmpty());
}

TEST_F(LoadTestTest, OneWrongAnswerIsInvalid) {
  std::atomic<int> calls{0};
  Serve([&, right = Right()](const v1::RunRequest& request, v1::RunResponse& response) {
    const auto status = right(request, response);
    if (++calls == 300)
      response.mutable_outputs(0)->mutable_raw()->at(3) ^= 1;  // a bit of the first element's exponent
    return status;
  });
  EXPECT_THAT(Run(Options()).invalid,
              ElementsAre(AllOf(HasSubstr("1 wrong answers"), HasSubstr("output.0 is off by"))));
}

TEST_F(LoadTestTest, AStalledServerIsInvalid) {
  std::atomic<int> calls{0};
  Serve([&, right = Right()](const v1::RunRequest& request, v1::RunResponse& response) -> std::optional<absl::Status> {
    if (++calls > 700) return std::nullopt;
    return right(request, response);
  });
  LoadTestOptions options = Options();
  options.max_requests = 702;
  options.timeout_seconds = 0.3;
  options.limits.max_errors = 1000;
  options.limits.max_silence_seconds = 0.2;
  EXPECT_THAT(Run(options).invalid, Contains(HasSubstr("the server stalled: no answer for")));
}

TEST_F(LoadTestTest, ErrorsAreInvalidAndToldByCode) {
  std::atomic<int> calls{0};
  Serve([&, right = Right()](const v1::RunRequest& request, v1::RunResponse& response) -> std::optional<absl::Status> {
    const int call = ++calls;
    if (call % 100 == 0) return absl::ResourceExhaustedError("queue full");
    if (call % 100 == 50) return absl::InternalError("broken");
    return right(request, response);
  });
  const LoadReport report = Run(Options());
  EXPECT_THAT(report.invalid,
              ElementsAre("14 of 700 requests failed (7 RESOURCE_EXHAUSTED, 7 INTERNAL); at most 0 may"));
  EXPECT_EQ(report.steps[0].stats.errors.at(absl::StatusCode::kInternal).first_message, "broken");
}

TEST_F(LoadTestTest, TooFewSamplesAreInvalid) {
  Serve(Right());
  LoadTestOptions options = Options();
  options.max_requests = 661;
  EXPECT_THAT(Run(options).invalid, ElementsAre("661 samples are too few; a p99 takes at least 662"));
}

TEST_F(LoadTestTest, ModelsAreMixedByWeight) {
  std::atomic<int> to_a{0}, to_b{0};
  Serve([&, right = Right()](const v1::RunRequest& request, v1::RunResponse& response) {
    ++(request.model() == "a" ? to_a : to_b);
    return right(request, response);
  });
  LoadTestOptions options = Options();
  options.connections = 2;
  options.models = {{.name = "a", .weight = 3, .golden = golden_}, {.name = "b", .weight = 1, .golden = golden_}};
  options.max_requests = 2000;
  const LoadReport report = Run(options);
  EXPECT_THAT(report.invalid, IsEmpty());
  EXPECT_NEAR(to_a, 1500, 78);  // four standard deviations
  EXPECT_EQ(to_a + to_b, 2000);
  EXPECT_EQ(report.steps[0].stats.models[0].latency.count(), to_a);
}

TEST_F(LoadTestTest, ARampIsOneStepARate) {
  Serve(Right());
  LoadTestOptions options = Options();
  options.workers = 0;
  options.rate = 100'000;
  options.ramp_to = 300'000;
  options.steps = 3;
  options.limits.min_samples = 701;
  const LoadReport report = Run(options);
  ASSERT_EQ(report.steps.size(), 3u);
  EXPECT_EQ(report.steps[1].rate, 200'000);
  EXPECT_THAT(report.invalid, Contains("open loop, 2e+05/s: 700 samples are too few; a p99 takes at least 701"));
}

// Times are such that every rate is within the first bound and none within the second.
TEST_F(LoadTestTest, ASearchEndsWithTheHighestRateBorne) {
  Serve(Right());
  LoadTestOptions options = Options();
  options.workers = 0;
  options.rate = 1e7;  // so high, and a request each: twenty rates take no time
  options.max_requests = 1;
  options.limits.min_samples = 1;
  options.search_p99_seconds = 1e6;
  const LoadReport all = Run(options);
  EXPECT_THAT(all.invalid, IsEmpty());
  ASSERT_TRUE(all.search);
  EXPECT_EQ(all.search->best_rate, 1e7 * (1 << 19));
  EXPECT_EQ(all.search->limit, "");
  EXPECT_THAT(ReportText(all), HasSubstr("5.243e+12 requests a second are borne with p99 within 1e+06 s"));

  options.search_p99_seconds = 1e-9;
  const LoadReport none = Run(options);
  EXPECT_EQ(none.search->best_rate, 0);
  EXPECT_EQ(none.steps.size(), 40u);  // each of twenty rates twice
  EXPECT_THAT(none.invalid, ElementsAre(HasSubstr("no rate was borne: at 19.07/s p99 is ")));
}

TEST_F(LoadTestTest, ASearchEndsAtAWrongAnswer) {
  Serve([right = Right()](const v1::RunRequest& request, v1::RunResponse& response) {
    const auto status = right(request, response);
    response.mutable_outputs(0)->mutable_raw()->at(3) ^= 1;
    return status;
  });
  LoadTestOptions options = Options();
  options.workers = 0;
  options.rate = 1e6;
  options.search_p99_seconds = 1;
  const LoadReport report = Run(options);
  EXPECT_EQ(report.steps.size(), 1u);
  EXPECT_THAT(report.invalid, ElementsAre(HasSubstr("open loop, 1e+06/s: 700 wrong answers")));
}

TEST_F(LoadTestTest, WhatCannotBeTestedIsAnError) {
  Serve(Right());
  LoadTestOptions options = Options();
  options.server = "10.0.0.1:8001";
  EXPECT_THAT(RunLoadTest(options).status().message(), HasSubstr("10.0.0.1:8001 is not this machine; expected"));

  options = Options();
  options.models[0].golden = TempPath("nothing");
  EXPECT_THAT(RunLoadTest(options).status().message(), HasSubstr("model 'm': "));

  options = Options();
  options.server = "127.0.0.1:1";
  const absl::Status unreachable = RunLoadTest(options).status();
  EXPECT_TRUE(absl::IsUnavailable(unreachable)) << unreachable;
  EXPECT_THAT(unreachable.message(), HasSubstr("model 'm': 127.0.0.1:1: "));

  options = Options();
  options.models[0].golden = TempPath("no_inputs");
  ASSERT_TRUE(WriteSafetensors(options.models[0].golden, {{"output.0", y_.view()}}).ok());
  EXPECT_EQ(RunLoadTest(options).status().message(),
            "model 'm': the golden file has 0 inputs; expected 1, as the model has");
}

TEST_F(LoadTestTest, ReportsTellWhatHappened) {
  Serve(Right());
  LoadReport report = Run(Options());
  report.command = "rml-loadtest ...";
  const std::string text = ReportText(report);
  for (const char* part : {"closed loop, 4 workers", "p99.9", "compute", "0 wrong", "cores", "\nVALID\n"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  const auto json = nlohmann::json::parse(ReportJson(report));
  EXPECT_EQ(json["valid"], true);
  EXPECT_EQ(json["command"], "rml-loadtest ...");
  EXPECT_EQ(json["steps"][0]["workers"], 4);
  EXPECT_EQ(json["steps"][0]["latency_ms"]["count"], 700);
  EXPECT_EQ(json["steps"][0]["models"][0]["compute_ms"]["p50"], 0);
  EXPECT_EQ(json["steps"][0]["server"]["pid"], getpid());

  report.command = "a <b>";
  const std::string html = ReportHtml(report);
  for (const char* part :
       {"VALID", "a &lt;b&gt;", "Latency over time", "Latency by percentile", "Requests over time"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  EXPECT_THAT(html, Not(HasSubstr("Latency by rate")));  // of one step
  EXPECT_THAT(html, Not(HasSubstr("src=")));             // a page of its own
  EXPECT_THAT(html, Not(HasSubstr("href=")));

  report.invalid = {"too few"};
  EXPECT_THAT(ReportText(report), HasSubstr("\nINVALID\n  too few\n"));
  EXPECT_EQ(nlohmann::json::parse(ReportJson(report))["invalid"][0], "too few");
}

}  // namespace
}  // namespace rml
