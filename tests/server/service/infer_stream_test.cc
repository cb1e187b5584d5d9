#include "server/service/infer_stream.h"

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "inference/grpc_service.grpc.pb.h"
#include "server/service/grpc_server.h"
#include "server/service/open_streams.h"
#include "tests/server/service/served_models.h"

namespace rml {
namespace {

using inference::ModelInferRequest;
using inference::ModelStreamInferResponse;

class InferStreamTest : public ServedModels {
 protected:
  InferStreamTest() {
    const GrpcApis apis{.inference = api_, .open_inference = open_api_, .repository = repository_};
    auto started = GrpcServer::Start({.port = 0}, apis, health_);
    EXPECT_TRUE(started.ok()) << started.status();
    server_ = *std::move(started);
    channel_ = grpc::CreateChannel("127.0.0.1:" + std::to_string(server_->port()), grpc::InsecureChannelCredentials());
    stub_ = inference::GRPCInferenceService::NewStub(channel_);
  }
  ~InferStreamTest() override { server_->Shutdown(std::chrono::nanoseconds(0)); }

  void WaitUntilNothingIsOpen() {
    const auto busy = [this] { return metrics_.ForModel("relu", 1)->in_flight.load() != 0 || OpenStreams() != 0; };
    while (busy()) std::this_thread::yield();
  }

  std::unique_ptr<GrpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<inference::GRPCInferenceService::Stub> stub_;
  grpc::ClientContext context_;
};

ModelInferRequest Request(int id, const std::string& model = "relu") {
  ModelInferRequest request;
  request.set_model_name(model);
  request.set_id(std::to_string(id));
  auto& x = *request.add_inputs();
  x.set_name("x");
  x.set_datatype("FP32");
  x.add_shape(1);
  x.add_shape(3);
  for (int i = 0; i < 3; ++i) x.mutable_contents()->add_fp32_contents(static_cast<float>(id + i));
  return request;
}

TEST_F(InferStreamTest, AnswersComeInTheOrderOfTheRequestsAndErrorsAmongThem) {
  constexpr int kRequests = 5 * kMaxStreamed;
  const auto stream = stub_->ModelStreamInfer(&context_);
  std::thread writer([&stream] {
    for (int id = 0; id < kRequests; ++id) EXPECT_TRUE(stream->Write(Request(id, id % 3 == 1 ? "nope" : "relu")));
    EXPECT_TRUE(stream->WritesDone());
  });
  ModelStreamInferResponse response;
  for (int id = 0; id < kRequests; ++id) {
    ASSERT_TRUE(stream->Read(&response)) << id;
    EXPECT_EQ(response.infer_response().id(), std::to_string(id));
    if (id % 3 == 1) {
      EXPECT_EQ(response.error_message(), "there is no model 'nope'; the server has: broken, relu");
      EXPECT_EQ(response.infer_response().outputs_size(), 0);
      EXPECT_EQ(response.infer_response().model_name(), "nope");
      continue;
    }
    EXPECT_EQ(response.error_message(), "");
    const std::string& raw = response.infer_response().raw_output_contents(0);
    ASSERT_EQ(raw.size(), 12u);
    EXPECT_EQ(*reinterpret_cast<const float*>(raw.data()), static_cast<float>(id));
  }
  EXPECT_FALSE(stream->Read(&response));
  writer.join();
  const grpc::Status status = stream->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  WaitUntilNothingIsOpen();
}

TEST_F(InferStreamTest, AnIdleStreamEndsWithTheServer) {
  const auto stream = stub_->ModelStreamInfer(&context_);
  ASSERT_TRUE(stream->Write(Request(1)));
  ModelStreamInferResponse response;
  ASSERT_TRUE(stream->Read(&response));
  server_->Shutdown(std::chrono::hours(1));  // would wait that long for the stream, were it not ended
  EXPECT_FALSE(stream->Read(&response));
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(status.error_message(), "the server is shutting down");
}

TEST_F(InferStreamTest, AClientThatLeavesTakesItsRequestsWithIt) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    grpc::ClientContext context;
    const auto stream = stub_->ModelStreamInfer(&context);
    for (int id = 0; id < repeat; ++id) stream->Write(Request(id));
    context.TryCancel();
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  WaitUntilNothingIsOpen();
}

TEST_F(InferStreamTest, BytesThatAreNoRequestAreAnErrorInTheStream) {
  grpc::GenericStub stub(channel_);
  grpc::CompletionQueue queue;
  const auto next = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const auto call = stub.PrepareCall(&context_, "/inference.GRPCInferenceService/ModelStreamInfer", &queue);
  call->StartCall(nullptr);
  ASSERT_TRUE(next());
  const auto answer_to = [&](const std::string& bytes) {
    const grpc::Slice slice(bytes);
    call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    EXPECT_TRUE(next());
    grpc::ByteBuffer answer;
    call->Read(&answer, nullptr);
    EXPECT_TRUE(next());
    ModelStreamInferResponse response;
    EXPECT_TRUE(grpc::SerializationTraits<ModelStreamInferResponse>::Deserialize(&answer, &response).ok());
    return response;
  };
  EXPECT_EQ(
      answer_to("\xff\xff\xff").error_message(),
      "the request is no inference.ModelInferRequest: its bytes cannot be parsed, or a string in it is not UTF-8");
  EXPECT_EQ(answer_to(Request(7).SerializeAsString()).infer_response().id(), "7");
  call->WritesDone(nullptr);
  ASSERT_TRUE(next());
  grpc::Status status;
  call->Finish(&status, nullptr);
  ASSERT_TRUE(next());
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(metrics_.Text(), testing::HasSubstr("method=\"ModelStreamInfer\",code=\"INVALID_ARGUMENT\"} 1"));
}

}  // namespace
}  // namespace rml
