#include "server/service/infer_stream.h"

#include <grpcpp/impl/codegen/proto_utils.h>

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "engine/base/out_of_memory.h"
#include "inference/grpc_service.pb.h"
#include "server/metrics/model_metrics.h"
#include "server/service/problems.h"
#include "server/service/request_bytes.h"
#include "server/sync/mutex.h"

namespace rml {
namespace {

using grpc::ByteBuffer;

// One request and its answer.
struct Exchange {
  inference::ModelInferRequest request;
  inference::ModelStreamInferResponse response;
  ByteBuffer answer;    // the response's bytes
  PendingCall pending;  // guarded, as the next, by the stream's mutex
  bool answered = false;
};

// gRPC calls no method of a reactor from within Start...() and Finish(): they are called under the lock.
class InferStream final : public grpc::ServerBidiReactor<ByteBuffer, ByteBuffer> {
 public:
  InferStream(OpenInferenceApi& api, SteadyTime deadline, CallEnder& ender)
      : api_(api), deadline_(deadline), ender_(ender) {
    StartRead(&bytes_);
    ender_.Add(this, [this] { End(grpc::Status(grpc::StatusCode::UNAVAILABLE, "the server is shutting down")); });
  }

  void OnReadDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_) {
    std::shared_ptr<Exchange> exchange;
    {
      MutexLock lock(mutex_);
      if (ok && !finished_) {
        exchange = std::make_shared<Exchange>();
        exchanges_.push_back(exchange);
      } else {
        reading_ = false;
        read_all_ = true;
        Advance();
      }
    }
    if (!exchange) return;
    Take(*exchange);
    MutexLock lock(mutex_);
    reading_ = false;
    Advance();
  }

  void OnWriteDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_) {
    if (!ok) Cancel();
    MutexLock lock(mutex_);
    writing_.reset();
    Advance();
  }

  void OnCancel() override { Cancel(); }

  void OnDone() override ABSL_LOCKS_EXCLUDED(mutex_) {
    ender_.Remove(this);
    {
      MutexLock lock(mutex_);
    }  // whoever called Finish() has let go of it
    delete this;
  }

 private:
  // From the bytes that were read to an answer, now or later.
  void Take(Exchange& exchange) ABSL_LOCKS_EXCLUDED(mutex_) {
    const absl::Status readable =
        CatchOutOfMemory("reading the request", [&] { return ParseRequest(bytes_, exchange.request); });
    if (!readable.ok()) {
      api_.CountUnreadable(Method::kModelStreamInfer);
      return Answer(exchange, readable);
    }
    PendingCall pending =
        api_.Infer(Method::kModelStreamInfer, exchange.request, *exchange.response.mutable_infer_response(), deadline_,
                   [this, &exchange](const absl::Status& status) { Answer(exchange, status); });
    bool cancelled = false;
    {
      MutexLock lock(mutex_);
      exchange.pending = pending;
      cancelled = cancelled_;
    }
    if (cancelled) pending.Cancel();
  }

  void Answer(Exchange& exchange, const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_) {
    if (!status.ok()) {
      inference::ModelStreamInferResponse error;
      error.set_error_message(Cut(std::string(status.message()), kMaxMessageBytes));
      error.mutable_infer_response()->set_id(exchange.request.id());
      error.mutable_infer_response()->set_model_name(exchange.request.model_name());
      exchange.response = std::move(error);
    }
    bool owned = false;
    grpc::SerializationTraits<inference::ModelStreamInferResponse>::Serialize(exchange.response, &exchange.answer,
                                                                              &owned);
    MutexLock lock(mutex_);
    exchange.answered = true;
    Advance();
  }

  void End(const grpc::Status& status) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    end_ = status;
    read_all_ = true;
    Advance();
  }

  // The client has gone.
  void Cancel() ABSL_LOCKS_EXCLUDED(mutex_) {
    std::vector<PendingCall> calls;
    {
      MutexLock lock(mutex_);
      cancelled_ = true;
      for (const auto& exchange : exchanges_) calls.push_back(exchange->pending);
    }
    for (PendingCall& call : calls) call.Cancel();
    End(grpc::Status::CANCELLED);
  }

  // Does what can be done next: write, read, end.
  void Advance() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (finished_) return;
    if (cancelled_) std::erase_if(exchanges_, [](const auto& exchange) { return exchange->answered; });
    if (!writing_ && !exchanges_.empty() && exchanges_.front()->answered) {
      writing_ = std::move(exchanges_.front());
      exchanges_.pop_front();
      StartWrite(&writing_->answer);
    }
    if (!reading_ && !read_all_ && exchanges_.size() < kMaxStreamed) {
      reading_ = true;
      StartRead(&bytes_);
    }
    if (read_all_ && exchanges_.empty() && !writing_) {
      finished_ = true;
      Finish(end_);
    }
  }

  OpenInferenceApi& api_;
  const SteadyTime deadline_;
  CallEnder& ender_;
  ByteBuffer bytes_;  // of the read under way
  Mutex mutex_;
  std::deque<std::shared_ptr<Exchange>> exchanges_ ABSL_GUARDED_BY(mutex_);  // in the order of their requests
  std::shared_ptr<Exchange> writing_ ABSL_GUARDED_BY(mutex_);                // its answer is on the way
  bool reading_ ABSL_GUARDED_BY(mutex_) = true;                              // until what was read has been taken
  bool read_all_ ABSL_GUARDED_BY(mutex_) = false;                            // there is nothing more to read, or no use
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::Status end_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

grpc::ServerBidiReactor<ByteBuffer, ByteBuffer>* NewInferStream(OpenInferenceApi& api, SteadyTime deadline,
                                                                CallEnder& ender) {
  return new InferStream(api, deadline, ender);
}

}  // namespace rml
