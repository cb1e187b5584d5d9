#include "server/service/request_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inference/grpc_service.pb.h"
#include "rml/v1/inference.pb.h"

namespace rml {
namespace {

// The bytes in slices of at most `slice` bytes, as they come from the network.
grpc::ByteBuffer Bytes(const std::string& text, size_t slice = 7) {
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < text.size(); at += slice) slices.emplace_back(text.substr(at, slice));
  return grpc::ByteBuffer(slices.data(), slices.size());
}

std::string Repeat(const std::string& text, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) repeated += text;
  return repeated;
}

TEST(RequestBytesTest, FillsTheMessageAndEmptiesTheBytes) {
  v1::RunRequest request;
  request.set_model(
      "gr\xC3\xB6\xC3\x9F"
      "e");
  request.add_inputs()->set_raw(std::string(100, '\xFF'));
  request.add_outputs("y");
  grpc::ByteBuffer bytes = Bytes(request.SerializeAsString());
  v1::RunRequest parsed;
  ASSERT_TRUE(ParseRequest(bytes, parsed).ok());
  EXPECT_EQ(parsed.SerializeAsString(), request.SerializeAsString());
  EXPECT_EQ(bytes.Length(), 0u);
}

TEST(RequestBytesTest, NothingIsAnEmptyRequest) {
  grpc::ByteBuffer bytes = Bytes("");
  v1::RunRequest parsed;
  EXPECT_TRUE(ParseRequest(bytes, parsed).ok());
}

TEST(RequestBytesTest, Refusals) {
  constexpr char kUnreadable[] =
      "the request is no rml.v1.RunRequest: its bytes cannot be parsed, or a string in it is not UTF-8";
  constexpr char kTooMany[] = "the request has more than 65536 inputs and outputs";
  const struct {
    const char* name;
    std::string bytes;
    const char* message;
  } kCases[] = {
      {"model not UTF-8", "\x0a\x02\xff\xfe", kUnreadable},
      {"name of an input not UTF-8", "\x22\x04\x0a\x02\xff\xfe", kUnreadable},
      {"output not UTF-8", "\x2a\x01\x80", kUnreadable},
      {"cut short", "\x0a\xff\x01m", kUnreadable},
      {"end of a group that never began", "\x0c", kUnreadable},
      {"groups without end", std::string(1 << 15, '\x7b'), kUnreadable},
      {"more groups without end", std::string(1 << 20, '\x7b'), kTooMany},
      {"field number zero", std::string("\x00\x01", 2), kUnreadable},
      {"tag without end", std::string(20, '\xff'), kUnreadable},
      {"text", "model: \"mlp\"", kUnreadable},
      {"empty inputs", Repeat(std::string("\x22\x00", 2), kMaxRequestFields + 1), kTooMany},
      {"empty outputs", Repeat(std::string("\x2a\x00", 2), kMaxRequestFields + 1), kTooMany},
      {"unknown fields", Repeat(std::string("\x78\x01", 2), kMaxRequestFields + 1), kTooMany},
  };
  for (const auto& [name, text, message] : kCases) {
    SCOPED_TRACE(name);
    grpc::ByteBuffer bytes = Bytes(text, 4096);
    v1::RunRequest parsed;
    const absl::Status status = ParseRequest(bytes, parsed);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), message);
  }
}

// A field of one message: its tag and length before what it holds.
std::string Nested(int field, const std::string& content) {
  std::string bytes = {static_cast<char>(field << 3 | 2)};
  for (size_t size = content.size(); size > 0; size >>= 7) {
    bytes += static_cast<char>((size & 0x7f) | (size >= 0x80 ? 0x80 : 0));
  }
  return bytes + content;
}

// 64 MiB of these would become gigabytes of objects.
TEST(RequestBytesTest, FieldsWithinInputsAreCounted) {
  constexpr char kTooMany[] = "the request has more than 262144 strings and messages in its inputs and outputs";
  constexpr int kMany = kMaxNestedFields;  // the input or its contents is one more
  const auto in_input = [](const std::string& content) { return Nested(5, content); };
  const auto in_contents = [&](const std::string& content) { return in_input(Nested(5, content)); };
  const struct {
    const char* name;
    std::string bytes;
    bool taken;
  } kCases[] = {
      {"empty strings", in_contents(Repeat(std::string("\x42\x00", 2), kMany)), false},
      {"as many as allowed", in_contents(Repeat(std::string("\x42\x00", 2), kMany - 1)), true},
      {"parameters", in_input(Repeat(std::string("\x22\x00", 2), kMany + 1)), false},
      {"names of parameters", in_input(Repeat(std::string("\x22\x02\x0a\x00", 4), kMany / 2 + 1)), false},
      {"unknown fields", in_contents(Repeat("\x78\x01", kMany)), false},
      {"unknown fields in a group", in_contents("\x7b" + Repeat("\x78\x01", kMany) + "\x7c"), false},
      {"numbers one by one", in_contents(Repeat("\x18\x01", 3 * kMany)), true},
      {"numbers together", in_contents(Nested(3, std::string(3 * kMany, '\x01'))), true},
      {"empty parameters of the request", Repeat(std::string("\x22\x00", 2), kMaxRequestFields), true},
      {"inputs with all that they have", Repeat(in_input("\x0a\x01x\x12\x01T\x2a\x02\x18\x01"), kMaxRequestFields),
       true},
  };
  for (const auto& [name, text, taken] : kCases) {
    SCOPED_TRACE(name);
    grpc::ByteBuffer bytes = Bytes(text, 4096);
    inference::ModelInferRequest parsed;
    EXPECT_EQ(ParseRequest(bytes, parsed), taken ? absl::OkStatus() : absl::InvalidArgumentError(kTooMany));
  }
  grpc::ByteBuffer cut =
      Bytes(in_contents("\x42\x05"
                        "abc"));
  inference::ModelInferRequest parsed;
  EXPECT_EQ(
      ParseRequest(cut, parsed).message(),
      "the request is no inference.ModelInferRequest: its bytes cannot be parsed, or a string in it is not UTF-8");
}

TEST(RequestBytesTest, AsManyFieldsAsAllowed) {
  grpc::ByteBuffer bytes = Bytes(Repeat(std::string("\x22\x00", 2), kMaxRequestFields), 4096);
  v1::RunRequest parsed;
  ASSERT_TRUE(ParseRequest(bytes, parsed).ok());
  EXPECT_EQ(parsed.inputs_size(), kMaxRequestFields);
}

}  // namespace
}  // namespace rml
