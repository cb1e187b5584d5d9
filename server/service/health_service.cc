#include "server/service/health_service.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "engine/graph/quoted.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "server/sync/mutex.h"

namespace rml {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

// One Watch call: writes the latest status whenever the last write is through. A status that is overtaken while a write
// is under way is not sent, as the protocol allows.
class WatchCall : public grpc::ServerWriteReactor<HealthCheckResponse> {
 public:
  WatchCall(const std::string& name, HealthBoard& board, CallEnder& ender) : board_(board), ender_(ender) {
    watch_ = board_.Watch(name, [this](Serving status) { Send(status); });
    ender_.Add(this, [this] { End(grpc::Status(grpc::StatusCode::UNAVAILABLE, "the server is shutting down")); });
  }

  void OnWriteDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_) {
    if (!ok) return End(grpc::Status::CANCELLED);
    MutexLock lock(mutex_);
    writing_ = false;
    Write();
  }
  void OnCancel() override { End(grpc::Status::CANCELLED); }
  void OnDone() override {
    board_.Unwatch(watch_);
    ender_.Remove(this);
    delete this;
  }

 private:
  void Send(Serving status) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    next_ = status;
    if (!writing_) Write();
  }

  void Write() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (finished_ || !next_) return;
    writing_ = true;
    response_.set_status(static_cast<HealthCheckResponse::ServingStatus>(*next_));
    next_.reset();
    StartWrite(&response_);
  }

  void End(const grpc::Status& status) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    if (std::exchange(finished_, true)) return;
    Finish(status);
  }

  HealthBoard& board_;
  CallEnder& ender_;
  int64_t watch_ = 0;
  Mutex mutex_;
  HealthCheckResponse response_ ABSL_GUARDED_BY(mutex_);  // of the write under way
  std::optional<Serving> next_ ABSL_GUARDED_BY(mutex_);
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

class HealthService final : public grpc::health::v1::Health::CallbackService {
 public:
  HealthService(HealthBoard& board, CallEnder& ender) : board_(board), ender_(ender) {}

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context, const HealthCheckRequest* request,
                                  HealthCheckResponse* response) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    const Serving status = board_.Get(request->service());
    if (status == Serving::kServiceUnknown) {
      reactor->Finish(
          grpc::Status(grpc::StatusCode::NOT_FOUND, "there is no model or service " + Quoted(request->service())));
    } else {
      response->set_status(static_cast<HealthCheckResponse::ServingStatus>(status));
      reactor->Finish(grpc::Status::OK);
    }
    return reactor;
  }

  grpc::ServerWriteReactor<HealthCheckResponse>* Watch(grpc::CallbackServerContext* /*context*/,
                                                       const HealthCheckRequest* request) override {
    return new WatchCall(request->service(), board_, ender_);
  }

 private:
  HealthBoard& board_;
  CallEnder& ender_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeHealthService(HealthBoard& board, CallEnder& ender) {
  return std::make_unique<HealthService>(board, ender);
}

}  // namespace rml
