#include "loadtest/load_run.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "loadtest/arrivals.h"

namespace rml {
namespace {

std::vector<double> Weights(absl::Span<const LoadModel> models) {
  std::vector<double> weights;
  for (const LoadModel& model : models) weights.push_back(model.weight);
  return weights;
}

// Kept alive by every callback, so that the last one may still be on its way out when the run is over.
class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(const LoadPlan& plan, absl::Span<const LoadModel> models, const Protocol& protocol, LoadTime start,
      Transport& transport, LoadClock& clock, Recorder& recorder)
      : plan_(plan),
        models_(models),
        protocol_(protocol),
        start_(start),
        transport_(transport),
        clock_(clock),
        recorder_(recorder),
        mix_(Weights(models), plan.seed) {}

  void ClosedLoop() {
    for (int worker = 0; worker < plan_.workers; ++worker) SendNext();
    Wait();
  }

  void OpenLoop() {
    PoissonArrivals arrivals(plan_.rate, plan_.seed);
    for (int64_t number = 0; number < plan_.max_requests; ++number) {
      const LoadTime intended = start_ + arrivals.Next();
      if (intended >= End()) break;
      clock_.SleepUntil(intended);
      if (recorder_.in_flight() >= plan_.max_in_flight) {
        recorder_.NotSent();
      } else {
        Send(number, intended, [] {});
      }
    }
    Wait();
  }

 private:
  LoadTime End() const { return start_ + plan_.warm_up + plan_.duration; }

  // A worker's next request, if there is to be one.
  void SendNext() {
    int64_t number = 0;
    {
      const absl::MutexLock lock(&mutex_);
      if (numbers_ == plan_.max_requests) return;
      number = numbers_++;
    }
    const LoadTime now = clock_.now();
    if (now < End()) Send(number, now, [this] { SendNext(); });
  }

  template <typename Then>
  void Send(int64_t number, LoadTime intended, Then then) {
    const size_t model = mix_.Pick(static_cast<uint64_t>(number));
    {
      const absl::MutexLock lock(&mutex_);
      ++open_;
    }
    recorder_.Sent(intended, clock_.now());
    transport_.Start(
        models_[model].request, plan_.timeout,
        [self = shared_from_this(), model, intended, then](const absl::Status& status, ResponseBytes* response) {
          CallRecord call{.model = model, .intended = intended, .ended = self->clock_.now(), .status = status};
          if (response != nullptr) self->Check(*response, call);
          self->recorder_.Ended(call);
          then();
          const absl::MutexLock lock(&self->mutex_);
          --self->open_;
        });
  }

  void Check(ResponseBytes& response, CallRecord& call) {
    const absl::StatusOr<std::unique_ptr<Answer>> answer = protocol_.ParseAnswer(response);
    if (!answer.ok()) {
      call.checked = {AnswerKind::kWrong, std::string(answer.status().message())};
      return;
    }
    call.checked = models_[call.model].check->Check(**answer);
    call.timing = (*answer)->timing();
  }

  void Wait() {
    const absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(+[](int64_t* open) { return *open == 0; }, &open_));
  }

  const LoadPlan plan_;
  const absl::Span<const LoadModel> models_;
  const Protocol& protocol_;
  const LoadTime start_;
  Transport& transport_;
  LoadClock& clock_;
  Recorder& recorder_;
  const ModelMix mix_;
  absl::Mutex mutex_;
  int64_t numbers_ ABSL_GUARDED_BY(mutex_) = 0;  // requests that workers have begun
  int64_t open_ ABSL_GUARDED_BY(mutex_) = 0;     // requests whose callback has not returned
};

}  // namespace

void RunLoad(const LoadPlan& plan, absl::Span<const LoadModel> models, const Protocol& protocol, LoadTime start,
             Transport& transport, LoadClock& clock, Recorder& recorder) {
  const auto run = std::make_shared<Run>(plan, models, protocol, start, transport, clock, recorder);
  plan.workers > 0 ? run->ClosedLoop() : run->OpenLoop();
}

}  // namespace rml
