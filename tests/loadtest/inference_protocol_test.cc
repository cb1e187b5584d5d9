#include <gmock/gmock.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inference/grpc_service.pb.h"
#include "loadtest/protocol.h"

namespace rml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

absl::StatusOr<std::unique_ptr<Answer>> Parse(const std::string& bytes) {
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  return InferenceProtocol()->ParseAnswer(stream);
}

absl::StatusOr<std::vector<Tensor>> Outputs(const inference::ModelInferResponse& response) {
  return (*Parse(response.SerializeAsString()))->Outputs();
}

inference::ModelInferResponse Response(const std::string& datatype, const std::string& raw) {
  inference::ModelInferResponse response;
  auto& output = *response.add_outputs();
  output.set_name("y");
  output.set_datatype(datatype);
  output.add_shape(2);
  response.add_raw_output_contents(raw);
  return response;
}

TEST(InferenceProtocolTest, RequestHoldsRawInputsInOrder) {
  std::vector<Tensor> inputs;
  inputs.emplace_back(DType::kF32, Shape{1, 2});
  inputs.emplace_back(DType::kI32, Shape{3});
  inputs[1].data<int32_t>()[2] = 7;
  inference::ModelInferRequest request;
  ASSERT_TRUE(request.ParseFromString(InferenceProtocol()->RunRequest("m", {"a", "b"}, inputs)));
  EXPECT_EQ(request.model_name(), "m");
  ASSERT_EQ(request.inputs_size(), 2);
  EXPECT_EQ(request.inputs(0).name(), "a");
  EXPECT_EQ(request.inputs(0).datatype(), "FP32");
  EXPECT_THAT(request.inputs(0).shape(), ElementsAre(1, 2));
  EXPECT_EQ(request.inputs(1).datatype(), "INT32");
  EXPECT_EQ(request.raw_input_contents(0).size(), 8u);
  EXPECT_EQ(request.raw_input_contents(1), std::string("\0\0\0\0\0\0\0\0\7\0\0\0", 12));
}

TEST(InferenceProtocolTest, OutputsComeRawOrAsLists) {
  const auto raw = Outputs(Response("INT32", std::string("\1\0\0\0\2\0\0\0", 8)));
  ASSERT_TRUE(raw.ok()) << raw.status();
  EXPECT_THAT(raw->at(0).data<int32_t>(), ElementsAre(1, 2));

  inference::ModelInferResponse response = Response("FP32", "");
  response.clear_raw_output_contents();
  response.mutable_outputs(0)->mutable_contents()->add_fp32_contents(1.5f);
  response.mutable_outputs(0)->mutable_contents()->add_fp32_contents(-2);
  const auto listed = Outputs(response);
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_THAT(listed->at(0).data<float>(), ElementsAre(1.5f, -2.0f));
}

TEST(InferenceProtocolTest, WhatIsNoTensorIsRefused) {
  EXPECT_THAT(std::string(Outputs(Response("FP16", "1234")).status().message()),
              HasSubstr("tensor 'y': datatype 'FP16'; expected FP32 or INT32"));
  EXPECT_THAT(std::string(Outputs(Response("FP32", "1234")).status().message()), HasSubstr("4 bytes of elements"));
  inference::ModelInferResponse response = Response("FP32", "12345678");
  response.add_raw_output_contents("more");
  EXPECT_THAT(std::string(Outputs(response).status().message()), HasSubstr("expected one for each of 1 outputs"));
  EXPECT_FALSE(Parse("no message").ok());
}

TEST(InferenceProtocolTest, FingerprintTellsOutputsApartAndNothingElse) {
  inference::ModelInferResponse first = Response("FP32", "12345678");
  inference::ModelInferResponse second = first;
  second.set_id("another");
  EXPECT_EQ((*Parse(first.SerializeAsString()))->Fingerprint(), (*Parse(second.SerializeAsString()))->Fingerprint());
  second.mutable_raw_output_contents(0)->at(7) = '9';
  EXPECT_NE((*Parse(first.SerializeAsString()))->Fingerprint(), (*Parse(second.SerializeAsString()))->Fingerprint());
}

}  // namespace
}  // namespace rml
