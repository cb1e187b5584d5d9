// Loops against a transport and a clock of their own: what is sent when, and what becomes of it, without real time.
#include "loadtest/load_run.h"

#include <gmock/gmock.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/cpp/tensor_message.h"
#include "loadtest/verdict.h"
#include "rml/v1/inference.pb.h"

namespace rml {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FakeClock : public LoadClock {
 public:
  LoadTime now() override { return now_; }
  void SleepUntil(LoadTime time) override { now_ = std::max(now_, time); }
  void Advance(nanoseconds time) { now_ += time; }

 private:
  LoadTime now_{};
};

Tensor OneFloat(float value) {
  Tensor tensor(DType::kF32, Shape{1});
  tensor.data<float>()[0] = value;
  return tensor;
}

std::string AnswerOf(float value) {
  v1::RunResponse response;
  const Tensor tensor = OneFloat(value);
  ToMessage("y", tensor.view(), *response.add_outputs());
  response.mutable_timing()->set_queue_seconds(0.001);
  response.mutable_timing()->set_compute_seconds(0.002);
  return response.SerializeAsString();
}

// Ends each call before Start() returns, or when it is told to, by a status or an answer; time passes as it is set.
class FakeTransport : public Transport {
 public:
  explicit FakeTransport(FakeClock& clock) : clock_(clock) {}

  size_t Prepare(const std::string&, const std::string&) override { return 0; }

  void Start(size_t request, nanoseconds, CallDone done) override {
    requests.push_back(request);
    clock_.Advance(start_takes);
    if (ends_at_once) {
      clock_.Advance(answer_takes);
      End(done);
    } else {
      waiting.push_back(std::move(done));
    }
  }

  // Answers the oldest call that waits.
  void AnswerOldest() {
    const CallDone done = std::move(waiting.front());
    waiting.erase(waiting.begin());
    clock_.Advance(answer_takes);
    End(done);
  }

  nanoseconds start_takes{0}, answer_takes{0};
  bool ends_at_once = true;
  absl::Status status;
  std::string answer = AnswerOf(1);
  std::vector<size_t> requests;
  std::vector<CallDone> waiting;

 private:
  void End(const CallDone& done) {
    google::protobuf::io::ArrayInputStream bytes(answer.data(), static_cast<int>(answer.size()));
    done(status, status.ok() ? &bytes : nullptr);
  }

  FakeClock& clock_;
};

class LoadRunTest : public testing::Test {
 protected:
  LoadRunTest() {
    Golden golden{.inputs = {}, .outputs = {}, .atol = 0.5, .rtol = 0};
    golden.outputs.push_back(OneFloat(1));
    check_ = std::make_unique<GoldenCheck>(std::move(golden));
  }

  RunStats Run(const LoadPlan& plan) {
    const std::vector<LoadModel> models = {{.name = "m", .weight = 1, .request = 7, .check = check_.get()}};
    Recorder recorder({"m"}, clock_.now(), plan.warm_up, milliseconds(100));
    RunLoad(plan, models, *protocol_, clock_.now(), transport_, clock_, recorder);
    EXPECT_EQ(recorder.in_flight(), 0);
    return recorder.Stats();
  }

  FakeClock clock_;
  FakeTransport transport_{clock_};
  const std::unique_ptr<Protocol> protocol_ = RmlProtocol();
  std::unique_ptr<GoldenCheck> check_;
};

TEST_F(LoadRunTest, OpenLoopSendsAtTheRateForTheDuration) {
  const RunStats stats = Run({.rate = 1000, .warm_up = seconds(1), .duration = seconds(10), .seed = 1});
  EXPECT_NEAR(static_cast<double>(stats.sent), 11'000, 420);  // four standard deviations
  EXPECT_NEAR(static_cast<double>(stats.latency.count()), 10'000, 400);
  EXPECT_EQ(stats.latency.max(), 0);
  EXPECT_EQ(stats.lateness.max(), 0);
  EXPECT_NEAR(stats.rate(), 1000, 40);
  EXPECT_THAT(transport_.requests, testing::Each(7u));
  EXPECT_THAT(InvalidReasons(stats, {}), IsEmpty());
}

// A sender that takes 3 ms for a request cannot keep up with one every millisecond.
TEST_F(LoadRunTest, LateSendsCountFromTheIntendedTimeAndAreInvalid) {
  transport_.start_takes = milliseconds(3);
  const RunStats stats = Run({.rate = 1000, .duration = seconds(3), .seed = 1});
  EXPECT_GT(stats.lateness.Percentile(50), 1'000'000'000);
  EXPECT_GE(stats.latency.Percentile(50), stats.lateness.Percentile(50));
  EXPECT_THAT(InvalidReasons(stats, {}), ElementsAre(HasSubstr("sent late: p50"), HasSubstr("sent late: p99")));
}

TEST_F(LoadRunTest, OpenLoopLeavesOutWhatExceedsTheBoundInFlight) {
  // Four wait for answers, the fifth to ninth find them there; then all are answered, and the tenth is sent.
  transport_.ends_at_once = false;
  class AnswersFromTheTenth : public FakeClock {
   public:
    explicit AnswersFromTheTenth(FakeTransport& transport) : transport_(transport) {}
    void SleepUntil(LoadTime time) override {
      FakeClock::SleepUntil(time);
      if (++sleeps_ < 10) return;
      transport_.ends_at_once = true;
      while (!transport_.waiting.empty()) transport_.AnswerOldest();
    }

   private:
    FakeTransport& transport_;
    int sleeps_ = 0;
  } clock(transport_);
  const std::vector<LoadModel> models = {{.name = "m", .weight = 1, .request = 7, .check = check_.get()}};
  Recorder recorder({"m"}, clock.now(), seconds(0), seconds(1));
  RunLoad({.rate = 10, .duration = seconds(1000), .max_requests = 10, .max_in_flight = 4, .seed = 1}, models,
          *protocol_, clock.now(), transport_, clock, recorder);
  EXPECT_EQ(recorder.Stats().sent, 5);
  EXPECT_EQ(recorder.Stats().not_sent, 5);
}

TEST_F(LoadRunTest, WarmUpIsCheckedButNotMeasured) {
  transport_.answer = AnswerOf(3);
  const RunStats stats = Run({.rate = 100, .warm_up = seconds(10), .duration = milliseconds(1), .seed = 1});
  EXPECT_GT(stats.wrong, 900);
  EXPECT_EQ(stats.latency.count(), 0);
}

TEST_F(LoadRunTest, AnswersAreTold) {
  const struct {
    std::string answer;
    std::string why;  // empty: right
  } cases[] = {
      {AnswerOf(1), ""},
      {AnswerOf(1.4f), ""},  // within the tolerance
      {AnswerOf(1.6f), "output.0 is off by 0.6; the tolerance is 0.5"},
      {"no message", "expected a message rml.v1.RunResponse"},
      {"", "has 0 outputs; expected 1, as the golden file"},
  };
  for (const auto& test : cases) {
    transport_.answer = test.answer;
    const RunStats stats = Run({.rate = 100, .duration = seconds(60), .max_requests = 3, .seed = 1});
    EXPECT_EQ(stats.wrong, test.why.empty() ? 0 : 3);
    EXPECT_EQ(stats.first_wrong, test.why);
    EXPECT_EQ(stats.latency.count(), test.why.empty() ? 3 : 0);
  }
}

TEST_F(LoadRunTest, RightAnswersWithOtherBitsAreCounted) {
  EXPECT_EQ(Run({.rate = 100, .duration = seconds(60), .max_requests = 3, .seed = 1}).models[0].other_bits, 0);
  transport_.answer = AnswerOf(1.25f);
  EXPECT_EQ(Run({.rate = 100, .duration = seconds(60), .max_requests = 3, .seed = 1}).models[0].other_bits, 3);
}

TEST_F(LoadRunTest, ErrorsAreCountedByCode) {
  transport_.status = absl::ResourceExhaustedError("queue full");
  const RunStats stats = Run({.rate = 100, .duration = seconds(60), .max_requests = 5, .seed = 1});
  ASSERT_EQ(stats.errors.size(), 1u);
  EXPECT_EQ(stats.errors.at(absl::StatusCode::kResourceExhausted).count, 5);
  EXPECT_EQ(stats.errors.at(absl::StatusCode::kResourceExhausted).first_message, "queue full");
  EXPECT_EQ(stats.models[0].errors, 5);
}

TEST_F(LoadRunTest, PhasesAddUpToTheLatency) {
  transport_.answer_takes = milliseconds(10);
  const RunStats stats = Run({.workers = 1, .duration = seconds(60), .max_requests = 4});
  EXPECT_EQ(stats.models[0].queue.max(), 1'000'000);
  EXPECT_EQ(stats.models[0].compute.max(), 2'000'000);
  EXPECT_EQ(stats.models[0].rest.max(), 7'000'000);
}

TEST_F(LoadRunTest, ClosedLoopSendsTheNextWhenTheAnswerIsThere) {
  transport_.answer_takes = milliseconds(10);
  const RunStats stats = Run({.workers = 1, .duration = seconds(1)});
  EXPECT_EQ(stats.sent, 100);
  EXPECT_EQ(stats.latency.min(), 10'000'000);
  EXPECT_EQ(stats.latency.max(), 10'000'000);
  EXPECT_EQ(stats.rate(), 100);
}

TEST(RecorderTest, SilenceIsTimeWithRequestsInFlightAndNoAnswer) {
  const LoadTime start{};
  Recorder recorder({"m"}, start, seconds(0), seconds(1));
  const auto send = [&](int second) { recorder.Sent(start + seconds(second), start + seconds(second)); };
  const auto end = [&](int second, const absl::Status& status) {
    recorder.Ended({.intended = start, .ended = start + seconds(second), .status = status});
    return recorder.Stats().longest_silence_seconds;
  };
  send(10);  // nothing was in flight before: no silence
  send(11);
  EXPECT_EQ(end(12, absl::OkStatus()), 2);
  EXPECT_EQ(end(15, absl::UnavailableError("")), 3);  // an answer, too
  send(30);
  send(31);
  EXPECT_EQ(end(40, absl::DeadlineExceededError("")), 10);  // none: it goes on
  EXPECT_EQ(end(42, absl::OkStatus()), 12);
}

TEST(RecorderTest, IntervalsGoByIntendedTime) {
  const LoadTime start{};
  Recorder recorder({"m"}, start, seconds(10), seconds(1));
  for (const int intended : {3, 10, 12, 12, 1'000'000}) {
    recorder.Sent(start + seconds(intended), start + seconds(intended));
    recorder.Ended(
        {.intended = start + seconds(intended), .ended = start + seconds(intended + 1), .status = absl::OkStatus()});
  }
  const RunStats stats = recorder.Stats();
  ASSERT_EQ(stats.intervals.size(), 1000u);  // bounded
  EXPECT_EQ(stats.intervals[0].latency.count(), 1);
  EXPECT_EQ(stats.intervals[1].latency.count(), 0);
  EXPECT_EQ(stats.intervals[2].latency.count(), 2);
  EXPECT_EQ(stats.intervals[999].latency.count(), 1);
}

}  // namespace
}  // namespace rml
