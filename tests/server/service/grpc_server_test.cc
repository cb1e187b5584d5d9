#include "server/service/grpc_server.h"

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <string>
#include <string_view>
#include <thread>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "rml/v1/inference.grpc.pb.h"
#include "server/service/open_streams.h"
#include "tests/server/service/served_models.h"

namespace rml {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

class GrpcServerTest : public ServedModels {
 protected:
  GrpcServerTest() {
    health_.Set("relu", Serving::kServing);
    auto started = GrpcServer::Start({.port = 0, .max_message_bytes = 1 << 20}, apis_, health_);
    EXPECT_TRUE(started.ok()) << started.status();
    server_ = *std::move(started);
    channel_ = grpc::CreateChannel("127.0.0.1:" + std::to_string(server_->port()), grpc::InsecureChannelCredentials());
    inference_ = v1::Inference::NewStub(channel_);
    health_stub_ = grpc::health::v1::Health::NewStub(channel_);
  }
  ~GrpcServerTest() override { server_->Shutdown(std::chrono::nanoseconds(0)); }

  grpc::Status Run(const v1::RunRequest& request, v1::RunResponse& response) {
    grpc::ClientContext context;
    return inference_->Run(&context, request, &response);
  }

  const GrpcApis apis_{.inference = api_, .open_inference = open_api_, .repository = repository_};
  std::unique_ptr<GrpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Inference::Stub> inference_;
  std::unique_ptr<grpc::health::v1::Health::Stub> health_stub_;
};

v1::RunRequest ReluRequest(int64_t elements) {
  v1::RunRequest request;
  request.set_model("relu");
  v1::Tensor& x = *request.add_inputs();
  x.set_name("x");
  x.add_shape(1);
  x.add_shape(elements);
  for (int64_t i = 0; i < elements; ++i) x.add_f32(static_cast<float>(i - 1));
  return request;
}

TEST_F(GrpcServerTest, Run) {
  v1::RunResponse response;
  const grpc::Status status = Run(ReluRequest(3), response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(response.outputs(0).f32(), testing::ElementsAre(0, 0, 1));
}

TEST_F(GrpcServerTest, ErrorsCarryBadRequest) {
  v1::RunResponse response;
  const grpc::Status status = Run(ReluRequest(4), response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "model 'relu' version 1: input 'x' has shape [1, 4]; expected f32[B, 3]");
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), grpc::StatusCode::INVALID_ARGUMENT);
  google::rpc::BadRequest bad_request;
  ASSERT_EQ(details.details_size(), 1);
  ASSERT_TRUE(details.details(0).UnpackTo(&bad_request));
  EXPECT_EQ(bad_request.field_violations(0).field(), "inputs[0].shape");
}

TEST_F(GrpcServerTest, TooLargeMessageNamesBothSizes) {
  v1::RunResponse response;
  const v1::RunRequest request = ReluRequest(1 << 19);
  const grpc::Status status = Run(request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), testing::HasSubstr(std::to_string(request.ByteSizeLong())));
  EXPECT_THAT(status.error_message(), testing::HasSubstr(std::to_string(1 << 20)));
}

TEST_F(GrpcServerTest, BytesThatAreNoRequest) {
  grpc::GenericStub stub(channel_);
  const std::string rml = "/rml.v1.Inference/", open = "/inference.GRPCInferenceService/";
  for (const std::string& path :
       {rml + "Run", rml + "Profile", rml + "GetModel", rml + "ListModels", open + "ModelInfer", open + "ModelMetadata",
        open + "ModelConfig", open + "ModelStatistics", open + "RepositoryIndex"}) {
    SCOPED_TRACE(path);
    const grpc::Slice garbage("\xff\xff\xff");
    const grpc::ByteBuffer request(&garbage, 1);
    grpc::ByteBuffer answer;
    grpc::ClientContext context;
    std::promise<grpc::Status> done;
    stub.UnaryCall(&context, path, {}, &request, &answer,
                   [&done](const grpc::Status& status) { done.set_value(status); });
    const grpc::Status status = done.get_future().get();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(), testing::StartsWith("the request is no "));
    const std::string method = path.substr(path.rfind('/') + 1);
    EXPECT_THAT(metrics_.Text(), testing::HasSubstr("method=\"" + method + "\",code=\"INVALID_ARGUMENT\"} 1"));
  }
}

// 64 MiB of gzip may stand for 64 GiB of zeros, and gRPC unpacks before it looks at sizes.
TEST_F(GrpcServerTest, CompressedRequestsAreRefused) {
  for (const grpc_compression_algorithm algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    v1::RunResponse response;
    v1::RunRequest request = ReluRequest(3);
    request.set_request_id(std::string(100'000, 'x'));  // too small and gRPC does not compress
    const grpc::Status status = inference_->Run(&context, request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED) << status.error_message();
    EXPECT_THAT(status.error_message(), testing::HasSubstr("is disabled"));
  }
}

TEST_F(GrpcServerTest, DeadlinesOfAnyDistance) {
  const int64_t kYear = int64_t{365} * 24 * 3600;
  for (const int64_t seconds : {int64_t{60}, kYear, 100 * kYear, 292 * kYear, 300 * kYear, 10'000 * kYear}) {
    grpc::ClientContext context;
    context.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_REALTIME), gpr_time_from_seconds(seconds, GPR_TIMESPAN)));
    v1::RunResponse response;
    const grpc::Status status = inference_->Run(&context, ReluRequest(3), &response);
    EXPECT_TRUE(status.ok()) << seconds << " s: " << status.error_message();
  }
  grpc::ClientContext context;
  context.set_deadline(gpr_inf_past(GPR_CLOCK_REALTIME));
  v1::RunResponse response;
  EXPECT_EQ(inference_->Run(&context, ReluRequest(3), &response).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(GrpcServerTest, TakenPortIsAnError) {
  const auto second = GrpcServer::Start({.port = server_->port()}, apis_, health_);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(GrpcServerTest, HealthCheck) {
  const struct {
    const char* service;
    grpc::StatusCode code;
    HealthCheckResponse::ServingStatus status;
  } kCases[] = {{"", grpc::StatusCode::OK, HealthCheckResponse::NOT_SERVING},
                {"relu", grpc::StatusCode::OK, HealthCheckResponse::SERVING},
                {"nope", grpc::StatusCode::NOT_FOUND, HealthCheckResponse::UNKNOWN}};
  for (const auto& c : kCases) {
    grpc::ClientContext context;
    HealthCheckRequest request;
    request.set_service(c.service);
    HealthCheckResponse response;
    EXPECT_EQ(health_stub_->Check(&context, request, &response).error_code(), c.code) << c.service;
    EXPECT_EQ(response.status(), c.status) << c.service;
  }
}

TEST_F(GrpcServerTest, WatchIsLiveAndEndsWithTheServer) {
  grpc::ClientContext context;
  HealthCheckRequest request;
  request.set_service("late");
  const auto reader = health_stub_->Watch(&context, request);
  HealthCheckResponse response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVICE_UNKNOWN);
  health_.Set("late", Serving::kServing);
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  health_.StopServing();
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  server_->Shutdown(std::chrono::seconds(60));  // would wait that long for the watch, were it not ended
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

// grpc_cli in interactive use, grpcui and others leave the stream open.
TEST_F(GrpcServerTest, ReflectionStreamsEndWithTheServer) {
  grpc::GenericStub stub(channel_);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto next_is = [&queue](intptr_t expected) {
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    return ok && tag == reinterpret_cast<void*>(expected);
  };
  const auto call =
      stub.PrepareCall(&context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  call->StartCall(reinterpret_cast<void*>(1));
  ASSERT_TRUE(next_is(1));
  const grpc::Slice empty_message("");
  call->Write(grpc::ByteBuffer(&empty_message, 1), reinterpret_cast<void*>(2));
  ASSERT_TRUE(next_is(2));
  grpc::ByteBuffer response;
  call->Read(&response, reinterpret_cast<void*>(3));
  ASSERT_TRUE(next_is(3));
  server_->Shutdown(std::chrono::hours(1));  // would wait that long for the stream, were it not ended
  grpc::Status status;
  call->Finish(&status, reinterpret_cast<void*>(4));
  ASSERT_TRUE(next_is(4));
  EXPECT_FALSE(status.ok());
}

// A connection below gRPC: sends what it is told.
class RawConnection {
 public:
  explicit RawConnection(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  ~RawConnection() { close(socket_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  void Send(std::string_view bytes) {
    EXPECT_EQ(send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  // What has come, at least a byte; nothing at the end.
  std::string Read() {
    std::string bytes(4096, '\0');
    bytes.resize(static_cast<size_t>(std::max<ssize_t>(0, recv(socket_, bytes.data(), bytes.size(), 0))));
    return bytes;
  }
  std::string ReadToTheEnd() {
    std::string bytes;
    for (std::string part; !(part = Read()).empty();) bytes += part;
    return bytes;
  }

 private:
  const int socket_;
};

constexpr std::string_view kPreface("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);  // and empty settings

std::string Frame(char type, char flags, char stream, const std::string& payload) {
  const std::string size = {0, static_cast<char>(payload.size() >> 8), static_cast<char>(payload.size() & 255)};
  return size + type + flags + std::string(3, '\0') + stream + payload;
}

// HPACK without compression of the values; names by their number in its table.
std::string Header(char name_and_kind, const std::string& value) {
  return std::string{name_and_kind, static_cast<char>(value.size())} + value;
}

// All of a Run request but the last ninety bytes of its message.
std::string HalfARequest() {
  const std::string headers = "\x83\x86" + Header(4, "/rml.v1.Inference/Run") + Header(1, "x") +
                              Header(0x0f, "").substr(0, 1) + '\x10' + Header(16, "application/grpc").substr(1) + '\0' +
                              Header(2, "te").substr(1) + Header(8, "trailers").substr(1);
  const std::string data = std::string("\0\0\0\0\x64", 5) + std::string(10, '\0');
  return std::string(kPreface) + Frame(1, 4, 1, headers) + Frame(0, 0, 1, data);
}

void WaitForOpenStreams(int64_t number) {
  while (OpenStreams() != number) std::this_thread::yield();
}

TEST_F(GrpcServerTest, OpenStreams) {
  WaitForOpenStreams(0);
  grpc::ClientContext context;
  const auto reader = health_stub_->Watch(&context, HealthCheckRequest());
  WaitForOpenStreams(1);
  {
    RawConnection half(server_->port());
    half.Send(HalfARequest());
    WaitForOpenStreams(2);  // though no call has begun
  }
  WaitForOpenStreams(1);
  context.TryCancel();
  WaitForOpenStreams(0);
}

TEST_F(GrpcServerTest, ConnectionsWithoutAnAnswerDoNotHoldUpTheEnd) {
  RawConnection silent(server_->port());
  silent.Send(kPreface);
  EXPECT_FALSE(silent.Read().empty()) << "the server has taken the connection and sends its settings";
  server_->Shutdown(std::chrono::hours(1));
  // gRPC's word for it. Left to itself it waits 20 s for the acknowledgement of its GOAWAY.
  EXPECT_THAT(silent.ReadToTheEnd(), testing::HasSubstr("Cancelling all calls"));
}

}  // namespace
}  // namespace rml
